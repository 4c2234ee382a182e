//! Each image combines its share of the elements from the values of all, where these are, and then reads the shares of the others.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::{slice, windows};
use crate::epoch::in_place::{InPlace, PIECE_BYTES, Reach};
use crate::reduce::Reduction;

impl<F> Reduction<'_, F> {
    /// Carries out the reduction, whose results all images get. Returns whether they could: all have lent their values.
    pub(super) fn in_place<T: Remote>(
        &self,
        call: &Call,
        values: &mut [T],
    ) -> Result<bool, ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let (me, images, length) = (self.team.index(), self.team.images(), values.len());
        let mut epoch = InPlace::begin_mut(self.team, call, values, Reach::Mapped)?;
        if !epoch.have_lent(0..images) {
            return Ok(false);
        }
        let piece = (PIECE_BYTES / size_of::<T>()).max(1);
        let (mut so_far, mut next) = (Vec::new(), Vec::new());
        for window in windows(slice(length, images, me), piece) {
            // SAFETY: that image has lent as many elements, as images have compared calls. Before the next barrier it changes those of
            // its own share only.
            let read = |epoch: &InPlace<'_, T>, image, target: &mut Vec<T>| unsafe {
                epoch.read_to_vec(image, window.clone(), target);
            };
            for image in 0..images {
                // The program's operator runs on copies: it may take any time.
                match image {
                    _ if image == me => {
                        // SAFETY: no other image reads this share before the next barrier.
                        let mine = unsafe { epoch.own(window.clone()) };
                        if me > 0 {
                            self.prepend(mine, &so_far);
                        }
                    }
                    0 => read(&epoch, 0, &mut so_far),
                    _ => {
                        read(&epoch, image, &mut next);
                        match image < me {
                            true => self.append(&mut so_far, &next),
                            // SAFETY: as above.
                            false => self.append(unsafe { epoch.own(window.clone()) }, &next),
                        }
                    }
                }
            }
        }
        epoch.barrier()?;
        for from in (me + 1..images).chain(0..me) {
            let share = slice(length, images, from);
            // SAFETY: no other image reads this share here after the barrier before, and that image changes its own share no more.
            unsafe { epoch.read_to_own(from, share) };
        }
        epoch.end().map(|()| true)
    }
}
