//! Epochs of steps: publishing pieces, and receiving those of others.
//!
//! An image stages elements in its buffer, one behind the other, and publishes what it has staged since the last piece as the
//! next piece. Places count from the beginning of the buffer.
//!
//! In a team that [spans nodes](Epoch::spans_nodes) it also pushes each piece, or a part of it, to its readers on other nodes: one
//! push for each time that another image receives from it, of the same elements.

use std::{ptr, slice};

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed, StepsBegun};

use crate::epoch::{Epoch, capacity};
use crate::traffic;

impl<T: Remote> Epoch<'_, T> {
    /// Begins an epoch of steps.
    pub(crate) fn begin_steps(&mut self) {
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

    /// Stages `values` for the next piece, behind all elements that this image staged before in this epoch.
    pub(crate) fn stage(&mut self, values: &[T]) {
        let start = self.staged;
        assert!(start + values.len() <= capacity::<T>());
        // SAFETY: `values` is valid for reads, and the target for writes of as many elements: it lies in our buffer, as was
        // just asserted, and behind everything that this image has published, so nobody reads there. `values` lies in front of
        // it, in another image's buffer, or in the program's memory, so the two do not overlap.
        unsafe {
            ptr::copy_nonoverlapping(
                values.as_ptr(),
                self.place(self.team.index(), start),
                values.len(),
            );
        }
        self.staged = start + values.len();
    }

    /// Publishes the elements that were staged since the last piece, as one piece.
    pub(crate) fn publish_staged(&mut self) {
        let begun = self.begun();
        self.pieces += 1;
        // SAFETY: the epoch is in progress, and no staged element is written again before it is over.
        unsafe { self.team.take_step(begun, self.pieces) };
    }

    /// Publishes `values` as one piece, together with any elements that were staged before.
    pub(crate) fn publish(&mut self, values: &[T]) {
        self.stage(values);
        self.publish_staged();
    }

    /// Whether pieces of this epoch are [pushed](Self::push) to readers on other nodes.
    #[inline]
    pub(crate) fn spans_nodes(&self) -> bool {
        self.begun.is_some_and(StepsBegun::spans_nodes)
    }

    /// Pushes the last `length` elements of those that this image has published to image `to`, if it is on another node.
    #[inline]
    pub(crate) fn push(&self, to: usize, length: usize) {
        if self.spans_nodes() {
            self.push_part(to, self.staged - length, length);
        }
    }

    /// Pushes elements `start .. start + length` of those that this image has published to image `to`, if it is on another node.
    /// The team spans nodes.
    #[cold]
    pub(crate) fn push_part(&self, to: usize, start: usize, length: usize) {
        assert!(start + length <= self.staged);
        let bytes = self.bytes(start, length);
        // SAFETY: this image has staged the elements, as was just asserted, and does not write them again before the epoch is over.
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
    pub(crate) unsafe fn receive(
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

    /// As [`receive`](Self::receive), to `target`.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive), for as many elements as `target` has.
    pub(crate) unsafe fn receive_into(
        &self,
        from: usize,
        pieces: usize,
        start: usize,
        target: &mut [T],
    ) -> Result<(), Abandoned> {
        let length = target.len();
        if self.team.is_local(from) {
            // SAFETY: the caller vouches that the pieces have as many elements as `target`, from `start` on.
            target.copy_from_slice(unsafe { self.receive(from, pieces, start, length)? });
            return Ok(());
        }
        // SAFETY: the caller vouches that the pieces have as many elements as `target`, from `start` on; `target` is valid for
        // writes of them.
        unsafe { self.fetch(from, pieces, start, length, target.as_mut_ptr()) }
    }

    /// As [`receive`](Self::receive), from an image on another node to `target`. It pushes just these elements.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive), and `target` is valid for writes of as many elements.
    unsafe fn fetch(
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

    /// As [`receive`](Self::receive), and stages the elements for this image's next piece.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive), and `from` is not this image.
    pub(crate) unsafe fn collect(
        &mut self,
        from: usize,
        pieces: usize,
        start: usize,
        length: usize,
    ) -> Result<&[T], Abandoned> {
        if !self.team.is_local(from) {
            // SAFETY: the caller vouches that the pieces have these elements.
            return unsafe { self.collect_remote(from, pieces, start, length) };
        }
        // SAFETY: the caller vouches that the pieces have these elements.
        let values: *const [T] = unsafe { self.receive(from, pieces, start, length)? };
        // SAFETY: `receive` returned them for as long as `self` lives. They lie in the buffer of another image, as the caller
        // vouches, so the exclusive borrow of `self`, which changes ours, does not change them.
        let values = unsafe { &*values };
        self.stage(values);
        Ok(values)
    }

    /// As [`collect`](Self::collect), from an image on another node straight to the place in this image's buffer.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive).
    #[cold]
    unsafe fn collect_remote(
        &mut self,
        from: usize,
        pieces: usize,
        start: usize,
        length: usize,
    ) -> Result<&[T], Abandoned> {
        assert!(self.staged + length <= capacity::<T>());
        let place = self.place(self.team.index(), self.staged);
        // SAFETY: the caller vouches that the pieces have these elements. The target is valid for writes of them: it lies in our
        // buffer, as was just asserted, and behind everything that this image has published, so nobody reads there.
        unsafe { self.fetch(from, pieces, start, length, place)? };
        self.staged += length;
        // SAFETY: `fetch` has just written `length` elements there, aligned for `T`. This image writes there next after the
        // barrier of the next epoch, when `self` has ended.
        Ok(unsafe { slice::from_raw_parts(place, length) })
    }

    /// As [`collect`](Self::collect), and publishes the piece at once.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive), and `from` is not this image.
    pub(crate) unsafe fn forward(
        &mut self,
        from: usize,
        pieces: usize,
        start: usize,
        length: usize,
    ) -> Result<&[T], Abandoned> {
        // SAFETY: the caller vouches that the pieces have these elements, and that `from` is not this image.
        let values: *const [T] = unsafe { self.collect(from, pieces, start, length)? };
        self.publish_staged();
        // SAFETY: `collect` returned them for as long as `self` lives, and publishing writes no element.
        Ok(unsafe { &*values })
    }

    /// Ends an epoch of steps, by a barrier.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    pub(crate) fn finish(mut self, steps: Result<(), Abandoned>) -> Result<(), ImageFailed> {
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
