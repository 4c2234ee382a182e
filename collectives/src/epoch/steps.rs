//! Epochs of steps: publishing pieces, and receiving those of others.
//!
//! An image stages elements in its buffer, and publishes what it has staged since the last piece as the next piece. Places count from the
//! beginning of the buffer.
//!
//! In a team that spans nodes it also pushes each piece, or a part of it, to its readers on other nodes: one push for each time that
//! another image receives from it, of the same elements.

use std::slice;

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed, StepsBegun};

use crate::epoch::{Epoch, capacity};
use crate::traffic;

impl<T: Remote> Epoch<'_, T> {
    /// Begins an epoch of steps.
    pub(super) fn begin_steps(&mut self) {
        let call = self.next_call();
        let end = self.call.at_step(self.step);
        // SAFETY: `begin` began this epoch, and its steps begin only here. What this image publishes in it is what the algorithm
        // of `call` says, of the type that `call` names.
        self.begun = Some(unsafe { self.team.begin_steps(self.epoch, &call, &end) });
    }

    fn begun(&self) -> StepsBegun {
        match self.begun {
            Some(begun) => begun,
            None => unreachable!("a step belongs to an epoch of steps"),
        }
    }

    /// Copies `values` to elements `start ..` of this image's buffer, for the next piece.
    ///
    /// # Safety
    /// No other image reads there before the next piece is published.
    pub(super) unsafe fn stage(&mut self, start: usize, values: &[T]) {
        // SAFETY: the caller vouches that nobody reads there now.
        unsafe { self.write(start, values) }
    }

    /// Publishes what was staged since the last piece, as the next one.
    pub(super) fn publish(&mut self) {
        let begun = self.begun();
        self.pieces += 1;
        // SAFETY: the epoch is in progress, and no staged element is written again before it is over.
        unsafe { self.team.take_step(begun, self.pieces) };
    }

    /// Pushes elements `start .. start + length` of this image's buffer to image `to`, if it is on another node.
    ///
    /// # Safety
    /// This image has published them.
    #[inline]
    pub(super) unsafe fn push(&self, to: usize, start: usize, length: usize) {
        if self.begun.is_some_and(StepsBegun::spans_nodes) {
            // SAFETY: passed on by the caller.
            unsafe { self.push_to_node(to, start, length) };
        }
    }

    /// # Safety
    /// As [`push`](Self::push).
    #[cold]
    unsafe fn push_to_node(&self, to: usize, start: usize, length: usize) {
        assert!(start + length <= capacity::<T>());
        let bytes = self.bytes(start, length);
        // SAFETY: the elements lie in the buffer, as was just asserted. The caller vouches that this image has written them, and it does
        // not write them again before the epoch is over.
        unsafe {
            self.team.push_step(self.begun(), self.pieces, to, bytes);
        }
    }

    /// Elements `start .. start + length` of those that `from` publishes in this epoch, once it has published `pieces` pieces.
    ///
    /// # Errors
    /// If it will not publish that many pieces.
    ///
    /// # Safety
    /// If `from` is in the same call, its first `pieces` pieces have at least `start + length` elements.
    pub(super) unsafe fn receive(
        &self,
        from: usize,
        pieces: usize,
        start: usize,
        length: usize,
    ) -> Result<&[T], Abandoned> {
        if !self.team.is_local(from) {
            // SAFETY: the caller vouches for the number of elements in the pieces. `try_fill` makes `target` valid for writes of
            // `length` elements, and unless it fails `fetch` writes all of them.
            return unsafe {
                self.received.try_fill(length, |target| {
                    self.fetch(from, pieces, start, length, target)
                })
            };
        }
        assert!(start + length <= capacity::<T>());
        let call = self.call.at_step(self.step - 1);
        self.team.await_step(from, self.begun(), pieces, &call)?;
        traffic::note(self.team, from, length * size_of::<T>());
        // SAFETY: the elements lie in the buffer, which is mapped and as aligned as `T`. `await_step` has seen that `from` is in
        // the same call and has published the pieces, which have these elements, as the caller vouches. `from` writes there next
        // after the barrier of the next epoch, which waits for the end of `self`.
        Ok(unsafe { slice::from_raw_parts(self.place(from, start), length) })
    }

    /// As [`receive`](Self::receive), from an image on another node to `target`. It pushes just these elements.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive), and `target` is valid for writes of as many elements.
    pub(super) unsafe fn fetch(
        &self,
        from: usize,
        pieces: usize,
        start: usize,
        length: usize,
        target: *mut T,
    ) -> Result<(), Abandoned> {
        assert!(start + length <= capacity::<T>());
        let call = self.call.at_step(self.step - 1);
        let (bytes, target) = (self.bytes(start, length), target.cast());
        // SAFETY: the bytes lie in the buffer. The caller vouches that `from`, if it is in the same call, has written them when
        // it comes to the step, and that `target` is valid for writes of them. `from` writes there next after the barrier of the
        // next epoch.
        unsafe {
            self.team
                .fetch_piece(from, self.begun(), pieces, &call, bytes, target)?;
        }
        traffic::note(self.team, from, length * size_of::<T>());
        Ok(())
    }

    /// As [`receive`](Self::receive), and stages the elements at `place` for this image's next piece.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive) and [`stage`](Self::stage), and `from` is not this image.
    pub(super) unsafe fn forward(
        &mut self,
        from: usize,
        pieces: usize,
        start: usize,
        length: usize,
        place: usize,
    ) -> Result<&[T], Abandoned> {
        if self.team.is_local(from) {
            // SAFETY: the caller vouches that the pieces have these elements.
            let values: *const [T] = unsafe { self.receive(from, pieces, start, length)? };
            // SAFETY: `receive` returned them for as long as `self` lives. They lie in the buffer of another image, as the caller
            // vouches, so the exclusive borrow of `self`, which changes ours, does not change them. Nobody reads the place now.
            return Ok(unsafe {
                self.stage(place, &*values);
                &*values
            });
        }
        assert!(place + length <= capacity::<T>());
        let place = self.place(self.team.index(), place);
        // SAFETY: the caller vouches that the pieces have these elements. The target is valid for writes of them: it lies in our
        // buffer, as was just asserted, and nobody reads there, as the caller vouches. `fetch` has written `length` elements there,
        // aligned for `T`. This image writes there next after the barrier of the next epoch, when `self` has ended.
        unsafe {
            self.fetch(from, pieces, start, length, place)?;
            Ok(slice::from_raw_parts(place, length))
        }
    }

    /// Ends an epoch of steps, by a barrier.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    pub(super) fn finish(mut self, steps: Result<(), Abandoned>) -> Result<(), ImageFailed> {
        if steps == Err(Abandoned) {
            // SAFETY: the epoch is in progress, and its barrier follows.
            unsafe { self.team.abandon_steps(self.begun()) };
        }
        let result = self.barrier();
        self.begun = None;
        if steps == Err(Abandoned) && result.is_ok() {
            unreachable!("an image that abandoned its steps waited for one that failed");
        }
        result
    }
}
