//! From each image to the next: an image combines the result of the images before it with its own values, and passes that on.
//!
//! The chunk passes in several pieces, so that an image works on one while the next image works on the piece before.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::{Epoch, chunks};
use crate::operator::{append, prepend};
use crate::scan::Scan;

/// The most pieces of a chunk.
const PIECES: usize = 8;

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    pub(super) fn chain(
        &self,
        mut epoch: Epoch<'_, T>,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed> {
        epoch.begin_steps();
        let steps = self.pass_on(&mut epoch, chunk);
        epoch.finish(steps)
    }

    fn pass_on(&self, epoch: &mut Epoch<'_, T>, chunk: &mut [T]) -> Result<(), Abandoned> {
        let (me, images) = (self.team.index(), self.team.images());
        let most = chunk.len().div_ceil(PIECES).max(1);
        let mut start = 0;
        for (number, piece) in chunks(chunk, most).enumerate() {
            let length = piece.len();
            let mut before = Vec::new();
            if me > 0 {
                // SAFETY: the image before publishes pieces of the same lengths, one after the other; `start` is the length of
                // those before this one.
                let values = unsafe { epoch.receive(me - 1, number + 1, start, length)? };
                before.extend_from_slice(values);
            }
            let is_last = me + 1 == images;
            // In an exclusive scan no image needs the combination of all values, and the operator may not be defined for it.
            if self.initial.is_none() || !is_last {
                prepend(piece, &before, &self.operator);
            }
            if !is_last {
                epoch.publish(piece);
                epoch.push(me + 1, length);
            }
            if let Some(initial) = self.initial {
                piece.fill(initial);
                append(piece, &before, &self.operator);
            }
            start += length;
        }
        Ok(())
    }
}
