//! Every image combines its block straight from the memory of all images.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::windows;
use crate::epoch::{Epoch, capacity, fits_payload};
use crate::operator::append;
use crate::reduce_scatter::Reduction;

impl<T: Remote, F: Fn(T, T) -> T> Reduction<'_, T, F> {
    pub(super) fn flat(&self, call: &Call, mine: &mut [T]) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        if fits_payload::<T>(images.saturating_mul(mine.len())) {
            return self.by_payload(call, mine);
        }
        // If a buffer has no room for one element of each block, an epoch serves only some of the images.
        let served = images.min(capacity::<T>());
        let most = capacity::<T>() / served;
        let length = mine.len();
        let rounds = windows(0..images, served)
            .flat_map(|owners| windows(0..length, most).map(move |part| (owners.clone(), part)));
        for (number, (owners, part)) in rounds.enumerate() {
            let mut epoch = Epoch::begin(self.team, call, number);
            for (index, owner) in owners.clone().enumerate() {
                if owner == me {
                    continue;
                }
                let values = &self.block(owner)[part.clone()];
                // SAFETY: no image reads this buffer before the barrier.
                unsafe { epoch.write(index * part.len(), values) };
            }
            let (start, length) = match owners.contains(&me) {
                true => ((me - owners.start) * part.len(), part.len()),
                false => (0, 0),
            };
            epoch.barrier_before_read(length, |_| start)?;
            if length == 0 {
                continue;
            }
            let own = &self.block(me)[part.clone()];
            let mine = &mut mine[part];
            for from in 0..images {
                let values = if from == me {
                    own
                } else {
                    // SAFETY: before the barrier every image wrote the same part of this image's block to the same place. It
                    // writes once in an epoch.
                    unsafe { epoch.read(from, start, mine.len()) }
                };
                self.combine(mine, from, values);
            }
        }
        Ok(())
    }

    /// As [`flat`](Self::flat), for blocks that fit the payload of the barrier.
    fn by_payload(&self, call: &Call, mine: &mut [T]) -> Result<(), ImageFailed> {
        let (me, images, length) = (self.team.index(), self.team.images(), mine.len());
        let mut epoch = Epoch::begin(self.team, call, 0);
        for owner in 0..images {
            epoch.pack(owner * length, self.block(owner));
        }
        epoch.barrier_with_packed(images * length)?;
        for from in 0..images {
            let combine = |blocks: &[T]| self.combine(mine, from, &blocks[me * length..][..length]);
            // SAFETY: every image packed all blocks, whose length is the same on all: they have compared calls.
            unsafe { epoch.payload(from, images * length, combine) };
        }
        Ok(())
    }

    /// Combines the values of image `from`, which come in the order of the images, with those before.
    fn combine(&self, mine: &mut [T], from: usize, values: &[T]) {
        if from == 0 {
            mine.copy_from_slice(values);
        } else {
            append(mine, values, &self.operator);
        }
    }
}
