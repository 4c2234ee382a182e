//! The deadlock search: finding out that no image can ever go on, and reporting why.
//!
//! If all images are found asleep, and nothing that any of them waits for has arrived, nothing will ever happen again;
//! `sleep.rs` has the proof. (Sleep with a time limit does not count.) This holds however long anything takes, so slow
//! computations and slow output are never taken for a deadlock.
//!
//! An image that waits for any of several events shows at most one eventcount. It checks all of them itself, each time
//! before it records its wait again. So it has seen everything that was advanced before all images were found asleep,
//! and nothing was advanced since.
//!
//! An image starts a search when it has slept for a while. It first suspects a deadlock, and reports it only when all
//! images have recorded their waits again since, so the report is consistent.
//!
//! Roy, Luecke, Coyle and Kraeva (*Scalable deadlock detection*, PGAS 2013) use a ring and a lock graph for one kind of
//! operation each. This search needs no model of what an operation waits for.

use crate::deadlock::search::{Suspicion, report};
use crate::image::Image;
use crate::job::control::Failure;
use crate::waiting::between_nodes::probe_other_nodes;

impl Suspicion {
    /// Ends the job if no image can go on. Returns whether it did.
    pub(crate) fn end_if_deadlocked(&self, image: &Image) -> bool {
        if !self.sees_standstill(&image.job, image.index) {
            return false;
        }
        if image.network.is_some() {
            // Images of other nodes may send something.
            return probe_other_nodes(image);
        }
        // If another image finds the deadlock first, this report may be of images that wake up. It is then discarded.
        image.report_deadlock();
        true
    }
}

impl Image {
    /// Ends the job because no image can go on.
    pub(super) fn report_deadlock(&self) {
        let Failure { image, code, text } = report(&self.job, self.index);
        self.fail_silently(code, text, image);
    }
}
