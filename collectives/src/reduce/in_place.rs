//! [`Algorithm::InPlace`](crate::Algorithm::InPlace): values are combined where they are. The program's operator runs on copies of a few kilobytes:
//! it may take any time.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::Algorithm;
use crate::blocks::{slice, windows};
use crate::epoch::in_place::InPlace;
use crate::reduce::Reduction;

/// How many bytes are combined at a time: copies of them stay in the cache next to the processor.
const PIECE_BYTES: usize = 1 << 13;

impl<F> Reduction<'_, F> {
    /// Combines the values where they are if all images reach them, or else by another algorithm.
    #[inline(never)]
    pub(super) fn in_place_if_reached<T: Remote>(
        &self,
        call: &Call,
        values: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let (team, images) = (self.team, self.team.images());
        let asks = images > 1 && team.is_on_one_node() && team.asks_for_places(call);
        if asks && self.in_place(call, values)? {
            return Ok(());
        }
        let other = match self.root {
            None if images > 2 => Algorithm::ReduceScatterAllgather,
            _ => Algorithm::Flat,
        };
        self.run(call, other, values)
    }

    /// Each image combines its share of the elements from the values of all, and then reads the shares of the others; a root combines all.
    /// Returns whether it could: all whose values others read have lent them.
    fn in_place<T: Remote>(&self, call: &Call, values: &mut [T]) -> Result<bool, ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let (me, images, length) = (self.team.index(), self.team.images(), values.len());
        let combine = |epoch: &mut InPlace<'_, T>| {
            let Some(root) = self.root else {
                // SAFETY: all have lent as many elements, as images have compared calls. Before the next barrier each changes those of its own
                // share only, and nobody else reads them there.
                unsafe { self.combine_own(epoch, slice(length, images, me)) };
                epoch.barrier()?;
                for from in (me + 1..images).chain(0..me) {
                    // SAFETY: nobody reads this share here after the barrier before, and that image changes its own share no more.
                    unsafe { epoch.read_to_own(from, slice(length, images, from)) };
                }
                return Ok(());
            };
            if root == me {
                // SAFETY: the others have lent as many elements, as images have compared calls. Only the root reads, and changes its own.
                unsafe { self.combine_own(epoch, 0..length) };
            }
            Ok(())
        };
        let is_read = |image| self.root != Some(image);
        InPlace::run_mut(self.team, call, values, is_read, combine)
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
        let (mut so_far, mut next) = (Vec::new(), Vec::new());
        for window in windows(range, (PIECE_BYTES / size_of::<T>()).max(1)) {
            // SAFETY: the caller vouches for the elements of that image, which is on this node.
            let read = |epoch: &InPlace<'_, T>, image, target: &mut Vec<T>| unsafe {
                epoch.read_to_vec(image, window.clone(), target);
            };
            for image in 0..me {
                match image {
                    0 => read(epoch, 0, &mut so_far),
                    _ => {
                        read(epoch, image, &mut next);
                        self.append(&mut so_far, &next);
                    }
                }
            }
            // SAFETY: the caller vouches that no other image reads these.
            self.prepend(unsafe { epoch.own(window.clone()) }, &so_far);
            for image in me + 1..images {
                read(epoch, image, &mut next);
                // SAFETY: as above.
                self.append(unsafe { epoch.own(window.clone()) }, &next);
            }
        }
    }
}
