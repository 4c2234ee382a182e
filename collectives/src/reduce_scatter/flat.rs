//! Every image combines its block straight from the memory of all images.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::windows;
use crate::epoch::{Epoch, capacity};
use crate::operator::append;
use crate::reduce_scatter::Reduction;

impl<T: Remote, F: Fn(T, T) -> T> Reduction<'_, T, F> {
    pub(super) fn flat(&self, call: &Call, mine: &mut [T]) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
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
            epoch.barrier()?;
            if !owners.contains(&me) {
                continue;
            }
            let start = (me - owners.start) * part.len();
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
                if from == 0 {
                    mine.copy_from_slice(values);
                } else {
                    append(mine, values, &self.operator);
                }
            }
        }
        Ok(())
    }
}
