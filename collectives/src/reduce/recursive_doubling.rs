//! In each round partners exchange the values that they have combined so far, so that after it twice as many images have the
//! same values (Thakur, Rabenseifner and Gropp 2005, section 4).
//!
//! The partners of round `k` differ in bit `k` of their numbers, so the number of participants must be a power of two. If there
//! are `e` images more than that, every second one of the first `2 e` images gives its values to the image before it, and gets
//! the results from there. Each participant stands for consecutive images, and each round combines two adjacent runs of them,
//! so the order of the images is kept.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::Epoch;
use crate::reduce::Reduction;

/// The most pieces that an image publishes.
pub(super) fn pieces(images: usize) -> usize {
    // One in each round, and one for the image without a number.
    images.ilog2() as usize + 1
}

impl<F> Reduction<'_, F> {
    pub(super) fn recursive_doubling<T: Remote>(
        &self,
        mut epoch: Epoch<'_, T>,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        epoch.begin_steps();
        let steps = self.double(&mut epoch, chunk);
        epoch.finish(steps)
    }

    fn double<T: Remote>(&self, epoch: &mut Epoch<'_, T>, chunk: &mut [T]) -> Result<(), Abandoned>
    where
        F: Fn(T, T) -> T,
    {
        let (images, me, length) = (self.team.images(), self.team.index(), chunk.len());
        let rounds = images.ilog2();
        let extra = images - (1 << rounds);
        let image_of = |number: usize| {
            if number < extra {
                2 * number
            } else {
                number + extra
            }
        };
        if me < 2 * extra && me % 2 == 1 {
            epoch.publish(chunk);
            epoch.push(me - 1, length);
            let pieces = rounds as usize + 1;
            let start = rounds as usize * length;
            // SAFETY: the image before publishes one piece in each round and then the results, all as long as the chunk.
            unsafe { epoch.receive_into(me - 1, pieces, start, chunk)? };
            return Ok(());
        }
        let number = if me < 2 * extra { me / 2 } else { me - extra };
        if number < extra {
            // SAFETY: the image after this one publishes its chunk, which is as long, as its first piece.
            let values = unsafe { epoch.receive(me + 1, 1, 0, length)? };
            self.append(chunk, values);
        }
        for round in 0..rounds as usize {
            epoch.publish(chunk);
            let partner = number ^ (1 << round);
            epoch.push(image_of(partner), length);
            // SAFETY: the partner publishes one piece in each round, as long as the chunk.
            let values =
                unsafe { epoch.receive(image_of(partner), round + 1, round * length, length)? };
            if partner > number {
                self.append(chunk, values);
            } else {
                self.prepend(chunk, values);
            }
        }
        if number < extra {
            epoch.publish(chunk);
            epoch.push(me + 1, length);
        }
        Ok(())
    }
}
