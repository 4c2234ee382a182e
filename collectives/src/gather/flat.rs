//! The root reads the values of every image.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::{overlap, windows};
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, capacity, fits_payload_with_root};
use crate::gather::Gathering;

impl Gathering<'_> {
    pub(super) fn flat<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let images = self.team.images();
        let is_root = self.team.index() == self.tree.image(0);
        let longest = self.blocks.longest(images);
        if fits_payload_with_root::<T>(longest) {
            return self.by_payload(call, first, values, place);
        }
        for (number, window) in windows(0..longest, capacity::<T>()).enumerate() {
            let mut epoch = Epoch::begin(self.team, call, first + number);
            if !is_root {
                // SAFETY: no image reads this buffer before the barrier.
                unsafe { epoch.write(0, &values[overlap(&(0..values.len()), &window)]) };
            }
            epoch.barrier()?;
            if !is_root {
                continue;
            }
            for position in 1..images {
                let length = self.blocks.block(position).len();
                let (from, part) = (self.tree.image(position), overlap(&(0..length), &window));
                // SAFETY: before the barrier that image wrote the part of its block that lies in the window; all images know the
                // length of its block. It writes once in an epoch.
                place(from, part.start, unsafe {
                    epoch.incoming(from, 0, part.len())
                });
            }
        }
        Ok(())
    }

    /// As [`flat`](Self::flat), for values that fit the payload of the barrier.
    fn by_payload<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let mut epoch = Epoch::begin(self.team, call, first);
        epoch.pack(0, values);
        epoch.barrier_with_packed(self.blocks.longest(self.team.images()))?;
        if self.team.index() == self.tree.image(0) {
            for position in 1..self.team.images() {
                let (from, block) = (self.tree.image(position), self.blocks.block(position));
                // SAFETY: that image packed its whole block, whose length all images know.
                unsafe {
                    epoch.payload(from, block.len(), |payload| place(from, 0, payload.into()))
                };
            }
        }
        Ok(())
    }
}
