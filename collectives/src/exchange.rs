//! Passing data through the images' scratch spaces.
//!
//! Each scratch space is two halves that take turns. An image writes its half of this turn, meets the
//! others, and reads theirs. It writes the same half again two turns later; the meeting of the turn
//! between makes sure that everyone has finished reading by then.

use std::ptr;

use coarray_coref::Remote;
use coarray_fabric::{Call, ImageFailed, SCRATCH_BYTES, Team};

const HALF: usize = SCRATCH_BYTES / 2;

/// One turn of a collective operation.
pub(crate) struct Turn<'a> {
    team: &'a Team,
    call: &'a Call,
    half: usize,
    /// The operation's next rendezvous.
    step: usize,
}

/// Most rendezvous in a turn.
const STEPS: usize = 2;

impl<'a> Turn<'a> {
    /// Begins turn number `number` of the operation, from 0.
    ///
    /// # Panics
    /// If another turn is in progress: the function that joins values called a collective.
    pub(crate) fn begin(team: &'a Team, call: &'a Call, number: usize) -> Self {
        // SAFETY: this is the module that passes data through the scratch space.
        let Some(turn) = (unsafe { team.begin_turn() }) else {
            panic!(
                "a collective was called by the function with which another one combines values"
            );
        };
        let half = turn & 1;
        let step = number * STEPS;
        Self {
            team,
            call,
            half,
            step,
        }
    }

    /// Where this image sees element `index` of `image`'s half.
    fn place<T: Remote>(&self, image: usize, index: usize) -> *mut T {
        const {
            assert!(
                align_of::<T>() <= 64 && size_of::<T>() <= HALF,
                "the element does not fit the scratch space"
            )
        };
        assert!(index <= capacity::<T>());
        // SAFETY: each half lies in the scratch space, and the index within the half.
        unsafe {
            self.team
                .scratch(image)
                .add(self.half * HALF)
                .cast::<T>()
                .add(index)
        }
    }

    /// Writes `values` to elements `start ..` of this image's half.
    pub(crate) fn write<T: Remote>(&self, start: usize, values: &[T]) {
        assert!(start + values.len() <= capacity::<T>());
        // SAFETY: the target was checked to lie in our half, which nobody reads in this turn before the
        // meeting, or, after it, only in places we do not write (see `reduce`).
        unsafe {
            ptr::copy_nonoverlapping(
                values.as_ptr(),
                self.place(self.team.index(), start),
                values.len(),
            )
        }
    }

    /// Waits until all images have written.
    ///
    /// # Errors
    /// The images that failed before, on all others alike.
    pub(crate) fn meet(&mut self) -> Result<(), ImageFailed> {
        let call = self.call.at_step(self.step);
        self.step += 1;
        // SAFETY: what the other images read now was written by `write`; who does not write is not read.
        unsafe { self.team.try_meet(&call) }
    }

    /// Elements `start .. start + length` of the half of `image`, after the meeting.
    ///
    /// # Safety
    /// `image` wrote them as `T`s before the meeting, and does not write them again in this turn.
    pub(crate) unsafe fn read<T: Remote>(&self, image: usize, start: usize, length: usize) -> &[T] {
        assert!(start + length <= capacity::<T>());
        // SAFETY: the elements lie in the half, were written by `image`, and are not written again before
        // the turn after next, which this image does not begin while `self` is in progress.
        unsafe { std::slice::from_raw_parts(self.place(image, start), length) }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // SAFETY: begun in `begin`; what `read` returned has borrowed from `self`.
        unsafe { self.team.end_turn() };
    }
}

/// How many elements pass in one turn.
pub(crate) const fn capacity<T>() -> usize {
    HALF / size_of::<T>()
}
