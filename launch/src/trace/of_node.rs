//! The timeline of a job of which each node writes a part.

use std::fs;
use std::path::{Path, PathBuf};

use crate::trace::beside::path_of_node;
use crate::trace::{TraceFile, Traced, host_name, tell};
use coarray_fabric::system::scheduler::now;
use coarray_runtime::{Job, JobMemory, Origin};

/// What the images of a node know of the timeline of their job.
#[derive(Debug)]
pub(crate) struct NodeTimeline {
    path: PathBuf,
    /// Where the images of the node record, until they have written.
    records: PathBuf,
    /// The images of the node, and their processes.
    images: Vec<(usize, u32)>,
    /// The lowest image of the machine.
    machine: usize,
    /// What is added to times of the machine, so that they are those of the machine of image 0 when the job starts.
    shift: i64,
}

/// The memory in which the node of image `node` with so many images records what they do for the timeline at this path, beside it. `None` if there can
/// be none; then what they have done is lost if all are killed.
pub(crate) fn records_of_node(path: &Path, node: usize, images: usize) -> Option<JobMemory> {
    // Beside a device or a pipe there is no place for one.
    fs::metadata(path).ok().filter(|found| found.is_file())?;
    let records = path_of_node(path, node);
    let created = JobMemory::create_records(&records, images);
    // Others need the room.
    if created.is_err() {
        let _ = fs::remove_file(records);
    }
    created.ok()
}

impl NodeTimeline {
    /// Collective. Of the node of image `me`, on the machine whose lowest image is `machine`. Compares the clocks of all machines: what `gather` gathers,
    /// images get at nearly the same time.
    pub(crate) fn new(
        path: PathBuf,
        job: &Job,
        me: usize,
        machine: usize,
        gather: impl Fn([u64; 2]) -> Vec<[u64; 2]>,
    ) -> Self {
        let all = gather([machine as u64, std::process::id().into()]);
        let times = gather([now().as_nanos() as u64, 0]);
        let time = |image: usize| times[image][0];
        let is_same = all[0][0] == machine as u64;
        let images = (0..)
            .zip(&all)
            .filter(|(image, _)| job.nodes.share(me, *image));
        let shift = match is_same {
            true => 0,
            false => time(0).wrapping_sub(time(machine)) as i64,
        };
        let origin = Origin {
            number: me,
            process: std::process::id(),
            host: machine,
            shift,
            host_name: host_name(),
        };
        // Without room the timeline says at its end that it lacks something.
        let _ = job.region.note_origin(me, &origin);
        Self {
            records: path_of_node(&path, job.nodes.of(me)),
            path,
            images: images
                .map(|(image, &[_, process])| (image, process as u32))
                .collect(),
            machine,
            shift,
        }
    }

    /// Adds what the images of the node did.
    pub(crate) fn write(&self, job: &Job) {
        // Not after it: nothing is to be there twice if this process is killed now. There may be none.
        let _ = fs::remove_file(&self.records);
        let images = self.images.iter();
        let images = images.map(|&(image, process)| (image, &job.region, Some(process)));
        let traced = Traced {
            host: self.machine,
            shift: self.shift,
            ..Traced::here(images)
        };
        let text = match TraceFile::open(self.path.clone()) {
            Ok(mut file) => file.write(&traced),
            Err(refused) => refused,
        };
        tell(&text);
    }
}
