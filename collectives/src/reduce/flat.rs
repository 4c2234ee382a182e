//! Everyone who gets the results reads everyone's values and combines them.

use coarray_coref::Remote;
use coarray_fabric::{Call, ImageFailed};

use crate::reduce::Reduction;
use crate::turn::Turn;

impl<F> Reduction<'_, F> {
    /// As [`flat`](Self::flat), for values that are brought to the meeting itself.
    #[inline]
    pub(super) fn at_once<T: Remote>(
        &self,
        call: &Call,
        values: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let length = values.len();
        let mut turn = Turn::begin(self.team, call, 0);
        turn.meet_with(values)?;
        if !self.is_for_me() {
            return Ok(());
        }
        // SAFETY: every image brought its values, which all know to be as many.
        unsafe { turn.brought(0, length, |first| values.copy_from_slice(first)) };
        for from in 1..self.team.images() {
            // SAFETY: as before.
            unsafe { turn.brought(from, length, |next| self.append(values, next)) };
        }
        Ok(())
    }

    pub(super) fn flat<T: Remote>(
        &self,
        mut turn: Turn<'_, T>,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        // SAFETY: nobody reads our half before the meeting.
        unsafe { turn.write(0, chunk) };
        turn.meet()?;
        if !self.is_for_me() {
            return Ok(());
        }
        for from in 0..self.team.images() {
            // SAFETY: every image wrote the chunk, which all know to be as long, and writes no more.
            let values = unsafe { turn.read(from, 0, chunk.len()) };
            if from == 0 {
                chunk.copy_from_slice(values);
            } else {
                self.append(chunk, values);
            }
        }
        Ok(())
    }
}
