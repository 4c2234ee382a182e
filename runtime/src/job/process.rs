//! Which image a whole process is.
//!
//! An image that is a process can be killed between any two instructions, with all of its threads. An image that is a
//! thread ends only where it unwinds.

use std::sync::{Arc, OnceLock};

use crate::job::Job;
use crate::job::control::Stage;

static PROCESS: OnceLock<(Arc<Job>, usize)> = OnceLock::new();

/// Makes this process an image, all of its threads included. Returns its job, which lasts as long as the process.
pub(crate) fn become_image(job: &Arc<Job>, image: usize) -> &'static Job {
    let (job, _) = PROCESS.get_or_init(|| (Arc::clone(job), image));
    job
}

/// The image that this process is, on any of its threads. None where images are threads.
#[inline]
#[must_use]
pub fn process_image() -> Option<usize> {
    PROCESS.get().map(|&(_, image)| image)
}

/// Whether the process that was `image` of this process's job has died, so that it accesses nothing any more. Never
/// where images are threads.
#[must_use]
pub fn process_has_failed(image: usize) -> bool {
    PROCESS
        .get()
        .is_some_and(|(job, _)| job.region.control(image).stage() == Stage::Failed)
}
