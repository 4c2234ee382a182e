//! Jobs whose images are threads, for the unit tests of this crate. (The launcher is in a crate above.)

use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use coarray_fabric::memory::nodes::Nodes;
use coarray_fabric::memory::region::RegionOwner;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::simulated::{Exchange, Simulated};

use crate::call::tuning::{Rules, Tuning};
use crate::job::Job;
use crate::job::job_memory::JobMemory;
use crate::job::settings::{FabricKind, Settings, cores};
use crate::lifecycle::run_image::{Ending, run_image};

/// No collectives to choose among, hence an empty table.
const UNTUNED: Tuning = Tuning {
    read: |_| Ok(Rules::default()),
    name: |_| None,
};

/// Runs `body` on `images` images, which are divided evenly among `nodes` simulated nodes. Returns how many messages they
/// sent, from their start to their end; those of the search for deadlocks do not count.
pub(crate) fn run(images: usize, nodes: usize, body: impl Fn() + Sync) -> u64 {
    let settings = Settings {
        fabric: FabricKind::Threads,
        ..Settings::with_images(images).unwrap()
    };
    let each = images.div_ceil(nodes);
    let job = |_| {
        let memory = JobMemory::create(images, 1 << 20, images <= cores(), false).unwrap();
        let lowest = (0..images).map(|image| image / each * each);
        Arc::new(Job::on_nodes(memory, &settings, Nodes::separate(lowest)))
    };
    let jobs: Vec<Arc<Job>> = (0..images.div_ceil(each)).map(job).collect();
    let regions = jobs
        .iter()
        .map(|job| Arc::clone(job) as Arc<dyn RegionOwner>);
    let exchange = Arc::new(Exchange::new(
        regions.collect(),
        images,
        settings.simulated_fault,
    ));
    thread::scope(|scope| {
        for image in 0..images {
            let (jobs, exchange, body) = (&jobs, Arc::clone(&exchange), &body);
            scope.spawn(move || {
                let network = || Rc::new(Simulated::new(exchange, image)) as Rc<dyn Fabric>;
                let fabric = (jobs.len() > 1).then(network);
                // SAFETY: 1. Each image number is used for one thread only. 2. `exchange` was made with the regions of
                // these `jobs`, so the fabric reaches the parts of their images.
                let ending = unsafe {
                    run_image(&jobs[image / each], image, fabric, &UNTUNED, || {
                        body();
                        Ok(())
                    })
                };
                assert!(
                    matches!(ending, Ending::Finished(())),
                    "image {image}: {ending:?}"
                );
            });
        }
    });
    let sent = |image: usize| jobs[image / each].region.control(image).traffic.sent();
    (0..images).map(sent).sum()
}
