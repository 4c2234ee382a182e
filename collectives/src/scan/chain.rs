//! From each image to the next: it joins its own values to what those before it give, and passes that on.
//!
//! The chunk passes in several pieces, so that an image works on one while the next works on the one before.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::{Epoch, chunks};
use crate::operator::{append, prepend};
use crate::scan::Scan;

/// Most pieces of a chunk.
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
                // SAFETY: the image before publishes pieces as long as ours, one after the other.
                let values = unsafe { epoch.receive(me - 1, number + 1, start, length)? };
                before.extend_from_slice(values);
            }
            let is_last = me + 1 == images;
            // Of an exclusive scan, nobody needs what all give; it might not even exist.
            if self.initial.is_none() || !is_last {
                prepend(piece, &before, &self.join);
            }
            if !is_last {
                epoch.publish(piece);
            }
            if let Some(initial) = self.initial {
                piece.fill(initial);
                append(piece, &before, &self.join);
            }
            start += length;
        }
        Ok(())
    }
}
