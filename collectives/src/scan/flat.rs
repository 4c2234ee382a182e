//! Everyone reads the values of all images before it and combines them.

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use crate::epoch::{Epoch, fits_payload};
use crate::operator::{append, prepend};
use crate::scan::Scan;

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    pub(super) fn flat(&self, mut epoch: Epoch<'_, T>, chunk: &mut [T]) -> Result<(), ImageFailed> {
        let length = chunk.len();
        let is_short = fits_payload::<T>(length);
        if is_short {
            epoch.pack(0, chunk);
        } else {
            // SAFETY: nobody reads our buffer before the barrier.
            unsafe { epoch.write(0, chunk) };
        }
        epoch.barrier()?;
        let me = self.team.index();
        let end = match self.initial {
            Some(initial) => {
                chunk.fill(initial);
                me
            }
            // The first two images begin with their own values, where they are.
            None if me < 2 => me,
            None => me + 1,
        };
        for from in 0..end {
            let mut join = |values: &[T]| {
                if from > 0 || self.initial.is_some() {
                    append(chunk, values, &self.join);
                } else if me == 1 {
                    prepend(chunk, values, &self.join);
                } else {
                    chunk.copy_from_slice(values);
                }
            };
            // SAFETY: every image brought or wrote the chunk, which all know to be as long, and writes no more.
            unsafe {
                if is_short {
                    epoch.payload(from, length, join);
                } else {
                    join(epoch.read(from, 0, length));
                }
            }
        }
        Ok(())
    }
}
