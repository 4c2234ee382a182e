//! Finding out that no image can ever go on, and saying why.
//!
//! If all images are found asleep, and nothing that any of them waits for has come, nothing will ever happen
//! again; `sleep.rs` has the proof. (Sleep with a time limit does not count as sleep.) This holds however long
//! anything takes, so slow computations and slow output are never taken for a deadlock.
//!
//! Of an image that waits for any of several things only one eventcount can be seen, or none. It looks at all of them itself, each time
//! before it describes its wait anew: what was raised before all were found asleep is seen by then, and nothing was raised since.
//!
//! An image looks around when it has slept for a while. It first suspects a deadlock, and reports it only
//! when all images have described their waits anew since, so that the report is of one moment.
//!
//! Unlike the ring and the lock graph of Roy, Luecke, Coyle and Kraeva (*Scalable deadlock detection*, PGAS
//! 2013), which look at one kind of operation each, this needs no model of what an operation waits for.

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
            // Other nodes may send something.
            return probe_other_nodes(image);
        }
        // If another image finds the same first, this report may be of images that wake up; it is not kept.
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
