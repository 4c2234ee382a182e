//! What the images of one job in one process share.

pub(crate) mod backoff;
pub(crate) mod backtrace;
pub(crate) mod contention;
pub(crate) mod control;
pub(crate) mod death;
pub(crate) mod image_failed;
pub(crate) mod job_memory;
pub(crate) mod process;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod unwinding;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::job::control::Failure;
use crate::job::job_memory::JobMemory;
use crate::job::report::PANIC_CODE;
use crate::job::settings::{Bind, FabricKind, Settings, Wait};
use crate::lockfree::eventcount::SpinPolicy;
use coarray_fabric::memory::locality::Registration;
use coarray_fabric::memory::nodes::Nodes;
use coarray_fabric::memory::region::{Region, RegionOwner};
use coarray_fabric::system::parked::Threads;

/// How long an image that ends the job may take to say why, before others do not wait for that.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// A running job.
#[derive(Debug)]
pub struct Job {
    /// Given up before the region is unmapped: fields are dropped in this order.
    _claim: Registration,
    /// The memory that its images share.
    pub region: JobMemory,
    pub(crate) wait: Wait,
    /// That of an image whose core nobody else wants.
    pub(crate) patience: SpinPolicy,
    /// Whether places may be reached by load and store.
    pub(crate) direct: bool,
    pub(crate) bind: Bind,
    /// Which of its images share memory.
    pub nodes: Nodes,
    pub(crate) fabric: FabricKind,
    /// The threads of this process that belong to it.
    pub threads: Threads,
    /// How long images of other nodes may be silent while one waits for them.
    pub(crate) peer_timeout: Option<Duration>,
    /// Whether the failure on record was first noticed in this process, which is to report it.
    is_reporter: AtomicBool,
    /// The lowest image of other nodes that reports the end of the job; too large a number for none.
    told_by: AtomicUsize,
}

impl Job {
    /// A job whose images all share memory.
    pub fn new(region: JobMemory, settings: &Settings) -> Self {
        let images = region.dimensions().images;
        let nodes = Nodes::counted(images, settings.node_images);
        Self::on_nodes(region, settings, nodes)
    }

    /// The job of one node, with a region of its own.
    pub fn on_nodes(region: JobMemory, settings: &Settings, nodes: Nodes) -> Self {
        let dimensions = region.dimensions();
        let patience = patience(
            settings.wait,
            nodes.share_all(),
            dimensions.have_cores_for_all(),
        );
        Self {
            _claim: Registration::new(region.addresses(), !nodes.share_all()),
            region,
            wait: settings.wait,
            patience,
            direct: settings.direct,
            bind: settings.bind,
            nodes,
            fabric: settings.fabric,
            threads: Threads::default(),
            peer_timeout: settings.peer_timeout,
            is_reporter: AtomicBool::new(false),
            told_by: AtomicUsize::new(usize::MAX),
        }
    }

    /// Ends the job because of `failure`; false if it already ended for another reason.
    pub fn fail(&self, failure: &Failure) -> bool {
        self.fail_after(failure, || ())
    }

    /// As [`fail`](Self::fail); does something before others learn of the end, for which there is no time later.
    pub(crate) fn fail_after(&self, failure: &Failure, prepare: impl FnOnce()) -> bool {
        let first = self.settle(failure, prepare);
        if first {
            self.is_reporter.store(true, Ordering::Relaxed);
        }
        first
    }

    /// Ends the job because of `failure`, of which another node tells; false if it already ended for another reason.
    pub(crate) fn learn(&self, failure: &Failure) -> bool {
        self.settle(failure, || ())
    }

    fn settle(&self, failure: &Failure, prepare: impl FnOnce()) -> bool {
        let record = &self.region.job().failure;
        let first = record.claim();
        if first {
            prepare();
            record.write(&self.with_panic(failure));
        } else {
            // The first image may still print its backtrace, which the end of the job would truncate.
            record.wait(END_TIMEOUT);
        }
        self.region.job().end();
        first
    }

    /// The failure, as a consequence of the panic of an image that entered a collective operation while it unwound, if one
    /// did.
    fn with_panic(&self, failure: &Failure) -> Failure {
        let images = 0..self.region.dimensions().images;
        let panic = |image| Some((image, self.region.control(image).panic()?));
        match images.into_iter().find_map(panic) {
            Some((image, text)) => Failure {
                image,
                code: PANIC_CODE,
                text: format!(
                    "{text}\n  a destructor then called a collective operation: {failure}"
                ),
            },
            None => failure.clone(),
        }
    }

    /// Notes that an image of another node reports the end of the job.
    pub fn be_told_by(&self, image: usize) {
        self.told_by.fetch_min(image, Ordering::Relaxed);
    }

    /// Whether an image of another node that is lower than `image` reports the end of the job.
    #[cfg(any(feature = "mpi", feature = "shmem"))]
    pub fn is_told_by_lower(&self, image: usize) -> bool {
        self.told_by.load(Ordering::Relaxed) < image
    }

    /// Whether the failure on record was first noticed in this process, which is to report it.
    #[must_use]
    pub fn is_reporter(&self) -> bool {
        self.is_reporter.load(Ordering::Relaxed)
    }

    /// Why the job, which has ended, did.
    pub(crate) fn reason(&self) -> Failure {
        let reason = self.region.job().failure.wait(END_TIMEOUT);
        reason.unwrap_or_else(|| Failure {
            image: 0,
            code: 1,
            text: "or another one ended the job, and was killed before it said why".into(),
        })
    }

    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.region.job().has_ended()
    }
}

/// How long images wait before they sleep, if nobody else wants their cores.
fn patience(wait: Wait, share_all: bool, have_cores_for_all: bool) -> SpinPolicy {
    let [spins, yields] = match (wait, have_cores_for_all) {
        (Wait::Sleep, _) => [1, 0],
        // What others do arrives only when the image looks for it.
        _ if !share_all => [1, 1000],
        (Wait::Spin, _) => [100_000, 200],
        (Wait::Adaptive, true) => [4000, 200],
        // An image that waits for a core must not keep another one busy: where they share cores, whoever is waited for
        // most likely waits for this one.
        (Wait::Adaptive, false) => [1, 20],
    };
    SpinPolicy { spins, yields }
}

// SAFETY: both are fields, which never change.
unsafe impl RegionOwner for Job {
    fn region(&self) -> &Region {
        &self.region
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }
}
