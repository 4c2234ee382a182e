//! Reductions of values where these are. The program's operator runs on copies of a few kilobytes: it may take any time.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::{slice, windows};
use crate::epoch::in_place::{InPlace, PIECE_BYTES};
use crate::reduce::Reduction;

impl<F> Reduction<'_, F> {
    /// Carries out the reduction, whose results all images get: each image combines its share of the elements from the values of all,
    /// and then reads the shares of the others. Returns whether they could: all have lent their values.
    pub(super) fn in_place<T: Remote>(
        &self,
        call: &Call,
        values: &mut [T],
    ) -> Result<bool, ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let (me, images, length) = (self.team.index(), self.team.images(), values.len());
        let mut epoch = InPlace::begin_mut(self.team, call, values)?;
        if !epoch.have_lent(0..images) {
            return Ok(false);
        }
        // SAFETY: all have lent as many elements, as images have compared calls. Before the next barrier each changes those of its own
        // share only, and nobody else reads them there.
        unsafe { self.combine_own(&mut epoch, slice(length, images, me)) };
        epoch.barrier()?;
        for from in (me + 1..images).chain(0..me) {
            let share = slice(length, images, from);
            // SAFETY: no other image reads this share here after the barrier before, and that image changes its own share no more.
            unsafe { epoch.read_to_own(from, share) };
        }
        epoch.end().map(|()| true)
    }

    /// Carries out the reduction to image `root`, which combines the values of all. Returns whether it could: the others have lent
    /// theirs.
    pub(super) fn in_place_to<T: Remote>(
        &self,
        call: &Call,
        values: &mut [T],
        root: usize,
    ) -> Result<bool, ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let length = values.len();
        let mut epoch = InPlace::begin_mut(self.team, call, values)?;
        if !epoch.have_lent((0..self.team.images()).filter(|&image| image != root)) {
            return Ok(false);
        }
        if self.is_for_me() {
            // SAFETY: the others have lent as many elements, as images have compared calls. Only the root reads, and changes its own.
            unsafe { self.combine_own(&mut epoch, 0..length) };
        }
        epoch.end().map(|()| true)
    }

    /// Replaces elements `range` of this image's values by those of all images, combined in their order.
    ///
    /// # Safety
    /// All others have lent so many, and change none of these before the next barrier, nor do they read them here.
    unsafe fn combine_own<T: Remote>(&self, epoch: &mut InPlace<'_, T>, range: Range<usize>)
    where
        F: Fn(T, T) -> T,
    {
        let (me, images) = (self.team.index(), self.team.images());
        let piece = (PIECE_BYTES / size_of::<T>()).max(1);
        let (mut so_far, mut next) = (Vec::new(), Vec::new());
        for window in windows(range, piece) {
            // SAFETY: the caller vouches for the elements of that image.
            let read = |epoch: &InPlace<'_, T>, image, target: &mut Vec<T>| unsafe {
                epoch.read_to_vec(image, window.clone(), target);
            };
            for image in 0..images {
                match image {
                    _ if image == me => {
                        // SAFETY: the caller vouches that no other image reads these.
                        let mine = unsafe { epoch.own(window.clone()) };
                        if me > 0 {
                            self.prepend(mine, &so_far);
                        }
                    }
                    0 => read(epoch, 0, &mut so_far),
                    _ => {
                        read(epoch, image, &mut next);
                        match image < me {
                            true => self.append(&mut so_far, &next),
                            // SAFETY: as above.
                            false => self.append(unsafe { epoch.own(window.clone()) }, &next),
                        }
                    }
                }
            }
        }
    }
}
