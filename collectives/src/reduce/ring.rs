//! Slices go around a ring twice. First each image combines the slice that it passes on with its own values, so that in the end
//! each image has the results of one slice; then the results pass around (Patarasuk and Yuan 2009).
//!
//! Each image reads only from the image before it, about twice the length of the chunk for any number of images. Each slice
//! begins at a different image, so the order of the images is rotated.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::{Epoch, slice};
use crate::reduce::Reduction;

impl<F> Reduction<'_, F> {
    pub(super) fn ring<T: Remote>(
        &self,
        mut epoch: Epoch<'_, T>,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        epoch.begin_steps();
        let steps = self.around(&mut epoch, chunk);
        epoch.finish(steps)
    }

    fn around<T: Remote>(&self, epoch: &mut Epoch<'_, T>, chunk: &mut [T]) -> Result<(), Abandoned>
    where
        F: Fn(T, T) -> T,
    {
        let (images, me, length) = (self.team.images(), self.team.index(), chunk.len());
        let (before, after) = ((me + images - 1) % images, (me + 1) % images);
        let slice = |number: usize| slice(length, images, number % images);
        // The start of the next slice among those that the image before publishes.
        let mut start = 0;
        for round in 1..images {
            let piece = &chunk[slice(me + images + 1 - round)];
            epoch.publish(piece);
            epoch.push(after, piece.len());
            let next = slice(me + images - round);
            // SAFETY: in each round the image before publishes the slice that this image reads in it; `start` is the length of the
            // slices before.
            let values = unsafe { epoch.receive(before, round, start, next.len())? };
            start += next.len();
            self.prepend(&mut chunk[next], values);
        }
        for round in 1..images {
            let piece = &chunk[slice(me + images + 2 - round)];
            epoch.publish(piece);
            epoch.push(after, piece.len());
            let next = &mut chunk[slice(me + images + 1 - round)];
            // SAFETY: the same in the second pass, which comes after `images - 1` pieces of the first.
            unsafe { epoch.receive_into(before, images - 1 + round, start, next)? };
            start += next.len();
        }
        Ok(())
    }
}
