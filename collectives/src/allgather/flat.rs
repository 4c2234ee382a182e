//! Every image reads the values of all others, beginning with the image after it.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::allgather::Gathering;
use crate::blocks::{overlap, windows};
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, capacity, fits_payload};

impl Gathering<'_> {
    pub(super) fn flat<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        let longest = self.blocks.longest(images);
        if fits_payload::<T>(longest) {
            return self.by_payload(call, first, values, place);
        }
        for (number, window) in windows(0..longest, capacity::<T>()).enumerate() {
            let mut epoch = Epoch::begin(self.team, call, first + number);
            let own = overlap(&(0..values.len()), &window);
            // SAFETY: no image reads this buffer before the barrier.
            unsafe { epoch.write(0, &values[own.clone()]) };
            // At once: the cache has them.
            place(me, own.start, values[own].into());
            epoch.barrier_before_read(window.len(), |_| 0)?;
            for from in (me + 1..me + images).map(|from| from % images) {
                let part = overlap(&(0..self.blocks.block(from).len()), &window);
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
        let (me, images) = (self.team.index(), self.team.images());
        let mut epoch = Epoch::begin(self.team, call, first);
        place(me, 0, values.into());
        epoch.pack(0, values);
        epoch.barrier_with_packed(self.blocks.longest(images))?;
        for from in (me + 1..images).chain(0..me) {
            let length = self.blocks.block(from).len();
            // SAFETY: that image packed its whole block, whose length all images know.
            unsafe { epoch.payload(from, length, |payload| place(from, 0, payload.into())) };
        }
        Ok(())
    }
}
