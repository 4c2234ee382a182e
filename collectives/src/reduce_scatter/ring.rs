//! Each block passes around a ring once, and every image combines it with its own values: the first of the two passes of
//! Patarasuk and Yuan 2009.
//!
//! The block of an image starts at the image after it and ends at the image itself. So the order of the images is rotated, and
//! the operation must be commutative.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, Call, ImageFailed};

use crate::blocks::windows;
use crate::epoch::Epoch;
use crate::operator::prepend;
use crate::reduce_scatter::Reduction;

impl<T: Remote, F: Fn(T, T) -> T> Reduction<'_, T, F> {
    pub(super) fn ring(&self, call: &Call, most: usize, mine: &mut [T]) -> Result<(), ImageFailed> {
        for (number, window) in windows(0..mine.len(), most).enumerate() {
            let mut epoch = Epoch::begin(self.team, call, number);
            epoch.begin_steps();
            let own = |image: usize| &self.block(image)[window.clone()];
            let steps = self.around(&mut epoch, own, &mut mine[window.clone()]);
            epoch.finish(steps)?;
        }
        Ok(())
    }

    /// `own` returns this image's values for another.
    fn around<'v>(
        &self,
        epoch: &mut Epoch<'_, T>,
        own: impl Fn(usize) -> &'v [T],
        mine: &mut [T],
    ) -> Result<(), Abandoned> {
        let (me, images, length) = (self.team.index(), self.team.images(), mine.len());
        let (before, after) = ((me + images - 1) % images, (me + 1) % images);
        mine.copy_from_slice(own(before));
        for round in 1..images {
            epoch.publish(mine);
            epoch.push(after, length);
            mine.copy_from_slice(own((before + images - round) % images));
            let start = (round - 1) * length;
            // SAFETY: in each round the image before publishes a part of `length` elements of the block that this image combines
            // next.
            let values = unsafe { epoch.receive(before, round, start, length)? };
            prepend(mine, values, &self.operator);
        }
        Ok(())
    }
}
