//! Every image that gets the results reads the values of all images and combines them.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::epoch::Epoch;
use crate::reduce::Reduction;

impl<F> Reduction<'_, F> {
    /// As [`flat`](Self::flat), for values that fit the payload of the barrier.
    #[inline]
    pub(super) fn by_payload<T: Remote>(
        &self,
        call: &Call,
        values: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let length = values.len();
        let mut epoch = Epoch::begin(self.team, call, 0);
        epoch.barrier_with(values)?;
        if !self.is_for_me() {
            return Ok(());
        }
        // SAFETY: every image packed its values, whose number is the same on all: they have compared calls.
        unsafe { epoch.payload(0, length, |first| values.copy_from_slice(first)) };
        for from in 1..self.team.images() {
            // SAFETY: every image packed its values, whose number is the same on all.
            unsafe { epoch.payload(from, length, |next| self.append(values, next)) };
        }
        Ok(())
    }

    pub(super) fn flat<T: Remote>(
        &self,
        mut epoch: Epoch<'_, T>,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        // A root alone reads. It has its own values; but beyond the first two images, it combines them in the place where it had them.
        let me = self.team.index();
        if self.root.is_none_or(|root| root != me || me > 1) {
            // SAFETY: no image reads this buffer before the barrier.
            unsafe { epoch.write(0, chunk) };
        }
        let length = chunk.len();
        epoch.barrier_before_read(if self.is_for_me() { length } else { 0 }, |_| 0)?;
        if !self.is_for_me() {
            return Ok(());
        }
        // SAFETY: every image wrote a chunk of this length before the barrier, as they have compared calls, and writes once in an
        // epoch.
        let of = |image| unsafe { epoch.read(image, 0, length) };
        // The first two images begin with their own values, which are in place already.
        let next = match self.team.index() {
            0 => 1,
            1 => {
                self.prepend(chunk, of(0));
                2
            }
            _ => {
                // SAFETY: image 0 wrote a chunk of this length before the barrier, and writes once in an epoch.
                unsafe { epoch.read_into(0, 0, chunk) };
                1
            }
        };
        for image in next..self.team.images() {
            self.append(chunk, of(image));
        }
        Ok(())
    }
}
