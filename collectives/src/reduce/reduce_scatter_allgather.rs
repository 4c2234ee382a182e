//! Each image combines its share of the elements, straight from the others' memory; the images that get the results collect
//! the shares.
//!
//! A buffer of the scratch space is divided into one slot for each image. In an epoch an image writes its values of each
//! other image's share to that image's slot. After the barrier it reads its own slot in the buffers of all others. It writes
//! the results to its own slot of its next buffer, which the others have finished with, and which they read after the barrier
//! of the next epoch. So a long reduction takes one barrier for each chunk, and one more.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Team};

use crate::blocks::slice;
use crate::epoch::{Epoch, capacity};
use crate::reduce::Reduction;

/// Returns the values of another image.
pub(crate) type Others<'f, 'v, T> = &'f (dyn Fn(usize) -> &'v [T] + 'v);

/// Combines the values of all images by shares; each gets the results, or only `root` if there is one.
///
/// `combine` replaces this image's values of its share, its first argument, by the results; its other argument returns the values of
/// another image.
pub(crate) fn combine_slices<T: Remote>(
    team: &Team,
    call: &Call,
    values: &mut [T],
    root: Option<usize>,
    mut combine: impl for<'v> FnMut(&mut [T], Others<'_, 'v, T>),
) -> Result<(), ImageFailed> {
    let (images, me) = (team.images(), team.index());
    let others = || (0..images).filter(move |&image| image != me);
    let is_for_me = root.is_none_or(|root| root == me);
    // The elements of a slot, and of all slots.
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
            // SAFETY: no image reads these slots before the barrier.
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
        combine(mine, &|image| {
            // SAFETY: every other image wrote its values of this share, which has the same length on all, before the barrier, and
            // writes there once in an epoch.
            unsafe { epoch.read(image, me * slot, shared) }
        });
        // SAFETY: the barrier of the epoch is over. What this image writes in the next epoch goes to other slots.
        unsafe { epoch.write_ahead(me * slot, mine) };
        if number == 0 || !is_for_me {
            continue;
        }
        for image in others() {
            let share = share(number - 1, image);
            // SAFETY: in the epoch before, that image wrote the results of its share ahead to this buffer, before the barrier of
            // this epoch. It writes there once in an epoch.
            unsafe { epoch.read_into(image, image * slot, &mut values[share]) };
        }
    }
    Ok(())
}

impl<F> Reduction<'_, F> {
    pub(super) fn reduce_scatter_allgather<T: Remote>(
        &self,
        call: &Call,
        values: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let mut so_far = Vec::new();
        combine_slices(self.team, call, values, self.root, |mine, of| {
            self.combine_shares(mine, &mut so_far, of);
        })
    }

    /// Combines all images' values of a share in the order of the images. `mine` has this image's values, `of` returns those of
    /// another image, and `so_far` is memory for what the images before this one have, combined.
    #[inline]
    fn combine_shares<'v, T: Remote>(
        &self,
        mine: &mut [T],
        so_far: &mut Vec<T>,
        of: Others<'_, 'v, T>,
    ) where
        F: Fn(T, T) -> T,
    {
        let me = self.team.index();
        match me {
            0 => {}
            1 => self.prepend(mine, of(0)),
            _ => {
                so_far.clear();
                so_far.extend_from_slice(of(0));
                (1..me).for_each(|image| self.append(so_far, of(image)));
                self.prepend(mine, so_far);
            }
        }
        (me + 1..self.team.images()).for_each(|image| self.append(mine, of(image)));
    }
}
