//! Steps between the two barriers of an epoch in place: an image publishes its own values piece after piece, each as soon as it is
//! ready, and others read it from then on.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::in_place::InPlace;

impl<T: Remote> InPlace<'_, T> {
    /// Begins the steps, after the barrier that announced the loans. [`finish`](Self::finish) ends them.
    pub(crate) fn begin_steps(&mut self) {
        self.epoch.begin_steps();
    }

    /// Publishes the next piece of this image's values.
    ///
    /// # Safety
    /// This image does not write the elements again, whose numbers the readers know, before the epoch is over.
    pub(crate) unsafe fn publish(&mut self) {
        // Nothing is staged: the piece is where the others look for it.
        self.epoch.publish();
    }

    /// Waits until `from` has published so many pieces. Then everything that it wrote before is visible.
    ///
    /// # Errors
    /// If it will not publish them.
    pub(crate) fn await_pieces(&self, from: usize, pieces: usize) -> Result<(), Abandoned> {
        let epoch = &self.epoch;
        let Some(begun) = epoch.begun else {
            unreachable!("a step belongs to an epoch of steps")
        };
        let call = epoch.call.at_step(epoch.step - 1);
        epoch.team.await_step(from, begun, pieces, &call)
    }

    /// Ends the steps and the epoch: waits until all images have finished reading.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    pub(crate) fn finish(self, steps: Result<(), Abandoned>) -> Result<(), ImageFailed> {
        if let (Err(Abandoned), Some(begun)) = (steps, self.epoch.begun) {
            // SAFETY: the epoch is in progress, and its barrier follows.
            unsafe { self.epoch.team.abandon_steps(begun) };
        }
        let ended = self.end();
        if steps == Err(Abandoned) && ended.is_ok() {
            unreachable!("an image that abandoned its steps waited for one that failed");
        }
        ended
    }
}
