//! Turns of steps: publishing pieces, and receiving those of others.

use std::{ptr, slice};

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed, StepsBegun};

use crate::epoch::{Epoch, capacity};
use crate::traffic;

impl<T: Remote> Epoch<'_, T> {
    /// Begins a epoch of steps.
    pub(crate) fn begin_steps(&mut self) {
        let call = self.next();
        let end = self.call.at_step(self.step);
        // SAFETY: the epoch is this one, of which `call` tells the operation and the type, and whose steps begin here only.
        self.begun = Some(unsafe { self.team.begin_steps(self.epoch, &call, &end) });
    }

    fn begun(&self) -> StepsBegun {
        match self.begun {
            Some(begun) => begun,
            None => unreachable!("a step belongs to a epoch of steps"),
        }
    }

    /// Lays `values` out behind what this image laid out before in this epoch of steps, for the next piece.
    pub(crate) fn stage(&mut self, values: &[T]) {
        let start = self.staged;
        assert!(start + values.len() <= capacity::<T>());
        // SAFETY: the target was checked to lie in our buffer, and is behind everything that others may read now.
        unsafe {
            ptr::copy_nonoverlapping(
                values.as_ptr(),
                self.place(self.team.index(), start),
                values.len(),
            );
        }
        self.staged = start + values.len();
    }

    /// Publishes what was laid out since the last piece, as one piece.
    pub(crate) fn publish_laid_out(&mut self) {
        let begun = self.begun();
        self.pieces += 1;
        // SAFETY: the epoch is in progress, and what was laid out stays as it is until it is over.
        unsafe { self.team.take_step(begun, self.pieces) };
    }

    /// Publishes `values` behind what this image published before in this epoch of steps.
    pub(crate) fn publish(&mut self, values: &[T]) {
        self.stage(values);
        self.publish_laid_out();
    }

    /// `length` elements from `start` on of what `from` publishes in this epoch of steps, once it has published
    /// `pieces` pieces.
    ///
    /// # Errors
    /// If it does not come to that.
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
            // SAFETY: passed on; the elements are fetched to as many places.
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
        // SAFETY: the elements lie in the buffer. `from` is in the same epoch of the same call, and published them,
        // as the caller says. It writes there again only in the epoch after next, which this image
        // does not let begin while `self` is in progress.
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
            // SAFETY: passed on.
            target.copy_from_slice(unsafe { self.receive(from, pieces, start, length)? });
            return Ok(());
        }
        // SAFETY: passed on; the target is as long.
        unsafe { self.fetch(from, pieces, start, length, target.as_mut_ptr()) }
    }

    /// As [`receive`](Self::receive), from an image on another node to `target`.
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
        // SAFETY: the bytes lie in the buffer. If `from` is in the same epoch of the same call it publishes them, as the caller
        // says, and writes there again only in the epoch after next.
        unsafe {
            self.team
                .fetch_piece(from, self.begun(), pieces, &call, bytes, target)?;
        }
        traffic::note(self.team, from, length * size_of::<T>());
        Ok(())
    }

    /// As [`receive`](Self::receive), and lays the elements out for this image's next piece.
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
            // SAFETY: passed on.
            return unsafe { self.collect_apart(from, pieces, start, length) };
        }
        // SAFETY: passed on.
        let values: *const [T] = unsafe { self.receive(from, pieces, start, length)? };
        // SAFETY: `receive` lets them be read while `self` is in progress; they lie in another image's buffer, so what
        // happens to ours does not touch them.
        let values = unsafe { &*values };
        self.stage(values);
        Ok(values)
    }

    /// As [`collect`](Self::collect), from an image on another node straight to where this one lays out.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    ///
    /// # Safety
    /// As [`receive`](Self::receive).
    #[cold]
    unsafe fn collect_apart(
        &mut self,
        from: usize,
        pieces: usize,
        start: usize,
        length: usize,
    ) -> Result<&[T], Abandoned> {
        assert!(self.staged + length <= capacity::<T>());
        let place = self.place(self.team.index(), self.staged);
        // SAFETY: passed on. The target lies in our buffer, behind everything that others may read now.
        unsafe { self.fetch(from, pieces, start, length, place)? };
        self.staged += length;
        // SAFETY: these are the elements that came. Nothing is written there again in this epoch, and not in the next.
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
        // SAFETY: passed on.
        let values: *const [T] = unsafe { self.collect(from, pieces, start, length)? };
        self.publish_laid_out();
        // SAFETY: as in `collect`.
        Ok(unsafe { &*values })
    }

    /// Ends a epoch of steps: waits until all images have come to its end.
    ///
    /// # Errors
    /// The images that failed before, on all others alike.
    pub(crate) fn finish(mut self, steps: Result<(), Abandoned>) -> Result<(), ImageFailed> {
        if steps == Err(Abandoned) {
            // SAFETY: the epoch is in progress, and its barrier follows.
            unsafe { self.team.abandon_steps(self.begun()) };
        }
        let met = self.barrier();
        self.begun = None;
        if steps == Err(Abandoned) && met.is_ok() {
            unreachable!("an image that gave up a epoch waited for one that failed in it");
        }
        met
    }
}
