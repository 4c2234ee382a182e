//! Each image combines its share of the elements, straight from the others' memory, and whoever gets the results
//! collects the shares.
//!
//! A buffer of the scratch space is divided into as many slots as there are images. In a epoch an image writes its
//! values of each other image's share to that one's slot; after the barrier it reads its own slot of all others. The
//! results go to its own slot of the next buffer, which the others have finished with, and are read after the
//! barrier of the next epoch. So a long reduction takes one barrier a chunk, and one more.

use std::mem::MaybeUninit;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Team};

use crate::epoch::{Epoch, capacity, slice};
use crate::reduce::Reduction;

/// Finds the values of another image.
pub(crate) type Others<'f, 'v, T> = &'f (dyn Fn(usize) -> &'v [T] + 'v);

/// Combines the values of all images by shares; each gets the results, or only `root` if there is one.
///
/// `combine` makes of this image's values of its share the results, and writes them to the second slice too; its last
/// argument finds the values of another image.
pub(crate) fn by_shares<T: Remote>(
    team: &Team,
    call: &Call,
    values: &mut [T],
    root: Option<usize>,
    mut combine: impl for<'v> FnMut(&mut [T], &mut [MaybeUninit<T>], Others<'_, 'v, T>),
) -> Result<(), ImageFailed> {
    let (images, me) = (team.images(), team.index());
    let others = || (0..images).filter(move |&image| image != me);
    let is_for_me = root.is_none_or(|root| root == me);
    // Elements of a slot, and of all.
    let slot = capacity::<T>() / images;
    let (length, most) = (values.len(), slot * images);
    let share = |number: usize, image: usize| {
        let start = length.min(number * most);
        let share = slice(length.min(start + most) - start, images, image);
        start + share.start..start + share.end
    };
    let mut kept = Vec::new();
    for number in 0..=length.div_ceil(most) {
        let mut epoch = Epoch::begin(team, call, number);
        for image in others() {
            // SAFETY: nobody reads our buffer before the barrier.
            unsafe { epoch.write(image * slot, &values[share(number, image)]) };
        }
        epoch.barrier()?;

        let mut mine = &mut values[share(number, me)];
        if !is_for_me {
            kept.clear();
            kept.extend_from_slice(mine);
            mine = &mut kept;
        }
        let shared = mine.len();
        // SAFETY: the barrier is over, and what this image writes in the next epoch goes to other slots.
        let results = unsafe { epoch.ahead(me * slot, shared) };
        combine(mine, results, &|image| {
            // SAFETY: every other image wrote its values of this share before the barrier, and writes there
            // no more in this epoch.
            unsafe { epoch.read(image, me * slot, shared) }
        });
        if number == 0 || !is_for_me {
            continue;
        }
        for image in others() {
            let share = share(number - 1, image);
            // SAFETY: in the epoch before, that image wrote its results to this buffer, ahead of the barrier.
            unsafe { epoch.read_into(image, image * slot, &mut values[share]) };
        }
    }
    Ok(())
}

impl<F> Reduction<'_, F> {
    pub(super) fn shares<T: Remote>(&self, call: &Call, values: &mut [T]) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let mut so_far = Vec::new();
        by_shares(self.team, call, values, self.root, |mine, results, of| {
            self.join_shares(mine, results, &mut so_far, of);
        })
    }

    /// Joins all images' values of a share in the order of the images. `mine` are this image's, and become the results,
    /// as do `results`; `of` finds those of another image, and `so_far` is for what is joined of three or more.
    #[inline]
    fn join_shares<'v, T: Remote>(
        &self,
        mine: &mut [T],
        results: &mut [MaybeUninit<T>],
        so_far: &mut Vec<T>,
        of: Others<'_, 'v, T>,
    ) where
        F: Fn(T, T) -> T,
    {
        let (images, me) = (self.team.images(), self.team.index());
        let join = &self.join;
        let last = images - 1;
        if images > 2 {
            so_far.clear();
            so_far.extend_from_slice(if me == 0 { mine } else { of(0) });
            for image in 1..last {
                self.append(so_far, if image == me { mine } else { of(image) });
            }
        }
        let places = mine.iter_mut().zip(results);
        match (images, me) {
            (1, _) => {}
            (2, 0) => {
                for ((mine, result), &other) in places.zip(of(1)) {
                    *mine = join(*mine, other);
                    result.write(*mine);
                }
            }
            (2, _) => {
                for ((mine, result), &other) in places.zip(of(0)) {
                    *mine = join(other, *mine);
                    result.write(*mine);
                }
            }
            (_, me) if me == last => {
                for ((mine, result), &before) in places.zip(so_far.iter()) {
                    *mine = join(before, *mine);
                    result.write(*mine);
                }
            }
            _ => {
                for (((mine, result), &before), &other) in places.zip(so_far.iter()).zip(of(last)) {
                    *mine = join(before, other);
                    result.write(*mine);
                }
            }
        }
    }
}
