//! Every image reads the values of all images before it and combines them.

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use crate::epoch::{Epoch, fits_payload};
use crate::operator::{append, prepend};
use crate::scan::Scan;

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    pub(super) fn flat(&self, mut epoch: Epoch<'_, T>, chunk: &mut [T]) -> Result<(), ImageFailed> {
        let (length, me) = (chunk.len(), self.team.index());
        // The first two images begin with their own values, which are in place already, and an exclusive scan has none of them.
        let end = match self.initial {
            None if me >= 2 => me + 1,
            _ => me,
        };
        let is_short = fits_payload::<T>(length);
        if is_short {
            epoch.pack(0, chunk);
            epoch.barrier_with_packed(length)?;
        } else {
            if end > me || me + 1 < self.team.images() {
                // SAFETY: no image reads this buffer before the barrier.
                unsafe { epoch.write(0, chunk) };
            }
            epoch.barrier_before_read(if end > 0 { length } else { 0 }, |_| 0)?;
        }
        if let Some(initial) = self.initial {
            chunk.fill(initial);
        }
        for from in 0..end {
            let mut combine = |values: &[T]| {
                if from > 0 || self.initial.is_some() {
                    append(chunk, values, &self.operator);
                } else if me == 1 {
                    prepend(chunk, values, &self.operator);
                } else {
                    chunk.copy_from_slice(values);
                }
            };
            // SAFETY: before the barrier every image that is read packed or wrote a chunk of this length, as they have compared calls. It
            // writes once in an epoch.
            unsafe {
                if is_short {
                    epoch.payload(from, length, combine);
                } else {
                    combine(epoch.read(from, 0, length));
                }
            }
        }
        Ok(())
    }
}
