//! Epochs: data pass between images through the scratch space that each image has in a team.
//!
//! A scratch space is two buffers, which alternate from epoch to epoch. There are two kinds of epochs:
//!
//! * *flat*: an image writes to its buffer, enters a barrier, and reads the buffers of others. After the first epoch of an
//!   operation it may write to the buffers of others instead. Not before: one that is in a different call may publish there, and has
//!   not come to a barrier that tells.
//! * *steps*: an image publishes piece after piece in its buffer, each as a step, and reads a piece of another image as soon
//!   as that one has come to the step. The barrier is at the end.
//!
//! In either kind images can also [lend](in_place) values to the others, who read them where they are, in place of the buffers.
//!
//! Within an epoch no place that others may read is written again. An image writes to the same buffer two epochs later; the
//! barrier of the epoch between makes sure that all images have finished reading by then.
//!
//! # Operators of the program
//! In an epoch a function of the program may combine values. It may do anything: panic, call a collective, synchronise, or
//! differ from image to image. A team has one epoch at a time, so a collective of the same team is refused; other teams have
//! scratch spaces of their own. A barrier in the function comes on top of the epoch's own barriers, on which alone the
//! buffers rely: images compare calls, so it cannot take the place of one. But it replaces the payloads of the last barrier,
//! so [`Epoch::payload`] refuses to read these afterwards.
//!
//! # Nodes
//! The buffer of an image on another node is not mapped here. Elements are fetched from it, to a receive buffer of the epoch
//! or straight to their target.

pub(crate) mod execute;
pub(crate) mod in_place;
pub(crate) mod incoming;

mod payload;
mod receive_buffer;
mod steps;

use std::ops::Range;
use std::slice;

use coarray_coref::Remote;
use coarray_fabric::{BUFFER_BYTES, Deferral, direct};
use coarray_runtime::{Call, ImageFailed, StepsBegun, Team, quiet_and_defer};

use crate::epoch::payload::{PAYLOAD_WORDS, WORDS_WITH_ROOT, pack, words};
use crate::epoch::receive_buffer::ReceiveBuffer;
use crate::traffic;

pub(crate) use payload::{fits_payload, fits_payload_with_root};

/// The most calls that images compare in an epoch: where values are, that all have their share, that all have read, and that one
/// was gone.
const CALLS: usize = 4;

/// One epoch of a collective operation on elements of type `T`.
pub(crate) struct Epoch<'a, T> {
    team: &'a Team,
    call: &'a Call,
    /// The number of the epoch in its team, from 1, which says which buffer it uses.
    epoch: usize,
    /// The number of the operation's next call that images compare.
    step: usize,
    begun: Option<StepsBegun>,
    /// How many pieces this image has published.
    pieces: usize,
    /// This image's payload, and whether it is one for all of the epoch's barriers: of all images of the call, or of none.
    payload: [u64; PAYLOAD_WORDS],
    has_payload: bool,
    /// The team's count of barriers after the last one of this epoch; 0 before.
    last_barrier: u64,
    /// Elements that were fetched from other nodes.
    received: ReceiveBuffer<T>,
    deferral: Deferral,
}

impl<'a, T: Remote> Epoch<'a, T> {
    /// Begins epoch number `number` of the operation, from 0. No waker runs until the epoch ends.
    ///
    /// # Panics
    /// If another epoch of the team is in progress.
    #[inline]
    pub(crate) fn begin(team: &'a Team, call: &'a Call, number: usize) -> Self {
        let deferral = quiet_and_defer();
        // SAFETY: only this module passes data through the scratch space, and its buffers alternate with the number of epochs.
        let Some(epoch) = (unsafe { team.begin_epoch() }) else {
            team.refuse_epoch(call)
        };
        Self {
            team,
            call,
            epoch: epoch + 1,
            step: number * CALLS,
            begun: None,
            pieces: 0,
            payload: [0; PAYLOAD_WORDS],
            has_payload: false,
            last_barrier: 0,
            received: ReceiveBuffer::default(),
            deferral,
        }
    }

    /// The address here of element `index` of the buffer of `image`.
    fn place(&self, image: usize, index: usize) -> *mut T {
        self.place_in(self.epoch, image, index)
    }

    /// The address here of element `index` of the buffer of `image` in epoch `epoch`.
    fn place_in(&self, epoch: usize, image: usize, index: usize) -> *mut T {
        const {
            assert!(
                align_of::<T>() <= 64 && size_of::<T>() <= BUFFER_BYTES,
                "the element does not fit the scratch space"
            )
        };
        assert!(index <= capacity::<T>());
        // SAFETY: `index` elements fit the buffer, as was just asserted, so the pointer stays in it or just behind it.
        // The scratch space consists of two buffers of `BUFFER_BYTES` bytes.
        unsafe {
            let buffer = self.team.scratch(image).add((epoch & 1) * BUFFER_BYTES);
            buffer.cast::<T>().add(index)
        }
    }

    /// The bytes in the scratch space of elements `start .. start + length` of this epoch's buffer.
    fn bytes(&self, start: usize, length: usize) -> Range<usize> {
        let buffer = (self.epoch & 1) * BUFFER_BYTES;
        buffer + start * size_of::<T>()..buffer + (start + length) * size_of::<T>()
    }

    /// The operation's next call that images compare.
    fn next_call(&mut self) -> Call {
        let call = self.call.at_step(self.step);
        self.step += 1;
        call
    }

    /// Writes `values` to elements `start ..` of this image's buffer, in a flat epoch.
    ///
    /// # Safety
    /// No other image reads there before the next barrier.
    pub(crate) unsafe fn write(&mut self, start: usize, values: &[T]) {
        // SAFETY: passed on by the caller.
        unsafe { self.write_in(self.epoch, self.team.index(), start, values) }
    }

    /// As [`write`](Self::write), to the start of the buffer of `image`, which finds them [there](Self::written_by) after the barrier.
    ///
    /// # Panics
    /// In the first epoch of an operation: an image that is in another one by mistake may use its buffer. If the image is on another node.
    ///
    /// # Safety
    /// No other image writes to that buffer in this epoch or ahead of it, nor reads it. No image can have panicked in the operation since its last
    /// barrier: the program may have caught that, and be in another operation.
    pub(crate) unsafe fn write_to(&mut self, image: usize, values: &[T]) {
        assert!(self.step >= CALLS && self.team.is_local(image));
        // SAFETY: all images have been at a barrier of this operation, and the caller vouches that none has panicked since, so that image is in this
        // epoch as well, or comes to it; and nobody reads its buffer from before. The caller vouches for this epoch.
        unsafe { self.write_in(self.epoch, image, 0, values) }
    }

    /// Writes `values` to elements `start ..` of the buffer of `image`, which is on this node, in epoch `epoch`.
    ///
    /// # Safety
    /// No other image accesses these before the next barrier.
    unsafe fn write_in(&mut self, epoch: usize, image: usize, start: usize, values: &[T]) {
        assert!(start + values.len() <= capacity::<T>());
        let target = self.place_in(epoch, image, start).cast();
        // SAFETY: `values` is valid for reads, and the target for writes of as many elements: it lies in the buffer, as was just
        // asserted, and the caller vouches that nobody else is there. The program has no reference into a scratch space, so the two do
        // not overlap.
        unsafe { direct::overwrite(target, values.as_ptr().cast(), size_of_val(values)) }
    }

    /// Sets the payload of this image for the barriers of this epoch, as all images do. After one, all can read it with
    /// `Team::payload`.
    pub(crate) fn set_payload(&mut self, words: [u64; WORDS_WITH_ROOT]) {
        self.payload[..WORDS_WITH_ROOT].copy_from_slice(&words);
        self.has_payload = true;
    }

    /// Waits for all images at the epoch's barrier.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    pub(crate) fn barrier(&mut self) -> Result<(), ImageFailed> {
        let call = self.next_call();
        if self.has_payload {
            return self.barrier_of(&call, self.payload, WORDS_WITH_ROOT);
        }
        // SAFETY: this image has written what the others read after the barrier of this call: an algorithm reads from an image
        // only what it has that image write.
        let result = unsafe { self.team.try_barrier(&call) };
        self.last_barrier = self.team.barriers();
        result
    }

    /// As [`barrier`](Self::barrier), before this image reads so many elements of each buffer, from the one that `start` returns for it.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    #[inline]
    pub(crate) fn barrier_before_read(
        &mut self,
        length: usize,
        start: impl Fn(usize) -> usize,
    ) -> Result<(), ImageFailed> {
        let call = self.next_call();
        let first = |image| {
            self.place(image, 0)
                .wrapping_add(start(image))
                .cast_const()
                .cast()
        };
        // SAFETY: as in `barrier`.
        let result = unsafe {
            self.team
                .try_barrier_before_read(&call, length * size_of::<T>(), first)
        };
        self.last_barrier = self.team.barriers();
        result
    }

    /// The barrier of `call`, to which all images bring the first `used` words of a payload.
    #[inline]
    fn barrier_of(
        &mut self,
        call: &Call,
        words: [u64; PAYLOAD_WORDS],
        used: usize,
    ) -> Result<(), ImageFailed> {
        // SAFETY: as in `barrier`. All images of a call bring as many words, or none: their number follows from the call.
        let result = unsafe {
            self.team
                .try_barrier_with(&self.deferral, call, words, used)
        };
        self.last_barrier = self.team.barriers();
        result
    }

    /// As [`barrier`](Self::barrier), of images that all bring one word, which is the first of the payload then.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    fn barrier_with_word(&mut self, word: u64) -> Result<(), ImageFailed> {
        let call = self.next_call();
        self.barrier_of(&call, [word, 0, 0, 0], 1)
    }

    /// The first `length` elements of this image's buffer, after a barrier: `from` has [written](Self::write_to) them.
    ///
    /// # Safety
    /// It has written as many before that barrier, and writes no more in this epoch.
    pub(crate) unsafe fn written_by(&self, from: usize, length: usize) -> &[T] {
        traffic::note(self.team, from, length * size_of::<T>());
        // SAFETY: the caller vouches for the elements, so they lie in the buffer, which is mapped and as aligned as `T`. They are written next after
        // the barrier of the next epoch, which waits for the end of `self`.
        unsafe { slice::from_raw_parts(self.place(self.team.index(), 0), length) }
    }

    /// Elements `start .. start + length` of the buffer of `image`, after a barrier.
    ///
    /// # Safety
    /// `image` wrote them as `T`s before the barrier, and does not write them again in this epoch.
    pub(crate) unsafe fn read(&self, image: usize, start: usize, length: usize) -> &[T] {
        assert!(start + length <= capacity::<T>());
        traffic::note(self.team, image, length * size_of::<T>());
        if !self.team.is_local(image) {
            let bytes = self.bytes(start, length);
            // SAFETY: the caller vouches that the image wrote these elements before the barrier, and does not write them again
            // in this epoch. `fill` makes `target` valid for writes of `length` elements, and `fetch` writes all of them.
            return unsafe {
                self.received
                    .fill(length, |target| self.team.fetch(image, bytes, target))
            };
        }
        // SAFETY: the elements lie in the buffer, which is mapped and as aligned as `T`. The caller vouches that the image
        // wrote them as `T`s before the barrier, and does not write them again in this epoch. It writes there next after the
        // barrier of the next epoch, which waits for the end of `self`.
        unsafe { slice::from_raw_parts(self.place(image, start), length) }
    }

    /// As [`read`](Self::read), to `target`.
    ///
    /// # Safety
    /// As [`read`](Self::read), for as many elements as `target` has.
    pub(crate) unsafe fn read_into(&self, image: usize, start: usize, target: &mut [T]) {
        let length = target.len();
        if self.team.is_local(image) {
            // SAFETY: the caller vouches that the image wrote the elements before the barrier, and does not write them again.
            return target.copy_from_slice(unsafe { self.read(image, start, length) });
        }
        assert!(start + length <= capacity::<T>());
        traffic::note(self.team, image, size_of_val(target));
        let (bytes, target) = (self.bytes(start, length), target.as_mut_ptr().cast());
        // SAFETY: the caller vouches that the image wrote the elements before the barrier, and does not write them again in this
        // epoch. The target is valid for writes of as many bytes.
        unsafe { self.team.fetch(image, bytes, target) }
    }

    /// Waits for all images at the epoch's barrier, with `values` as payload. Their number follows from the call.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    ///
    /// # Panics
    /// If the values do not fit.
    #[inline]
    pub(crate) fn barrier_with(&mut self, values: &[T]) -> Result<(), ImageFailed> {
        debug_assert_eq!(self.step, 0, "small values pass in one epoch");
        // Not the epoch's: these stay in registers.
        let mut payload = [0; PAYLOAD_WORDS];
        pack(&mut payload, 0, values);
        self.barrier_of(self.call, payload, words::<T>(values.len()))
    }

    /// As [`barrier_with`](Self::barrier_with), of images that each have [packed](Self::pack) up to `most` values. That number follows from the
    /// call.
    ///
    /// # Errors
    /// As [`barrier_with`](Self::barrier_with).
    pub(crate) fn barrier_with_packed(&mut self, most: usize) -> Result<(), ImageFailed> {
        let call = self.next_call();
        self.barrier_of(&call, self.payload, words::<T>(most))
    }

    /// Writes `values` to this image's payload for the next barrier, from place `start` on. All images do.
    ///
    /// # Panics
    /// If they do not fit there.
    #[inline]
    pub(crate) fn pack(&mut self, start: usize, values: &[T]) {
        pack(&mut self.payload, start, values);
    }

    /// Calls `use_values` with the first `length` values of the payload of `image` in this epoch's barrier.
    ///
    /// # Panics
    /// If this image has passed another barrier of the team since, which had other payloads: the program's operator may call
    /// `sync_all`.
    ///
    /// # Safety
    /// `image` packed as many values with [`barrier_with`](Self::barrier_with) or [`pack`](Self::pack).
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn payload<R>(
        &self,
        image: usize,
        length: usize,
        use_values: impl FnOnce(&[T]) -> R,
    ) -> R {
        assert!(fits_payload::<T>(length));
        if self.team.barriers() != self.last_barrier {
            self.team.refuse_barrier(self.call);
        }
        traffic::note(self.team, image, length * size_of::<T>());
        let words = self.team.payload(image);
        // SAFETY: `words` is aligned for `T` and has room for `length` of them, as was just asserted. The caller vouches that
        // `pack` wrote that many valid values there. Nobody changes `words` meanwhile: it is a copy.
        use_values(unsafe { slice::from_raw_parts(words.as_ptr().cast(), length) })
    }

    /// Writes `values` to elements `start ..` of this image's buffer in the next epoch, ahead of it: after the barrier of this epoch.
    ///
    /// # Safety
    /// This epoch is flat and its barrier is over; no other elements are written there, ahead or in the next epoch.
    pub(crate) unsafe fn write_ahead(&mut self, start: usize, values: &[T]) {
        // SAFETY: nobody reads there before the barrier of the next epoch: all have come to the barrier of this one, so they have finished with
        // that buffer. The caller vouches that nothing else is written there.
        unsafe { self.write_in(self.epoch + 1, self.team.index(), start, values) }
    }
}

impl<T> Drop for Epoch<'_, T> {
    fn drop(&mut self) {
        // A panic that the program may catch leaves an epoch only from an operator: wakers are deferred. May the next epoch
        // begin then?
        //
        // * In a flat epoch, operators run after the barrier. So all others are in this epoch, or wait in the barrier of the
        //   next: nobody reads the other buffer, to which the next epoch of this image writes, and this buffer is written again
        //   only after that barrier. Images that are still in the same operation do not mistake that epoch for theirs, since its
        //   first call has another number. So it may.
        // * An epoch of steps has its barrier at the end. Others may still be in the epoch before, and read both buffers. So it
        //   may not, and neither after an epoch that never came to its barrier.
        if self.begun.is_none() && self.last_barrier != 0 {
            // SAFETY: `begin` began it, and no reference into the scratch space is left: those that `read` returned borrow from
            // `self`.
            unsafe { self.team.end_epoch() };
        }
    }
}

/// How many elements a buffer holds.
pub(crate) const fn capacity<T>() -> usize {
    BUFFER_BYTES / size_of::<T>()
}

/// How many elements pass at a time: half a buffer, so that an image writes the next half while others read this one; more where images wait
/// for cores, and so for each barrier. Shorter pieces are slower: readers would find their lines in the nearest cache of the one that wrote them.
pub(crate) fn at_a_time<T>(team: &Team) -> usize {
    // The images of a node know of its cores only.
    match team.is_on_one_node() && !team.has_cores_for_all() {
        true => capacity::<T>(),
        false => (capacity::<T>() / 2).max(1),
    }
}

/// The pieces of at most `length` elements that pass one at a time. If there are no elements, one empty piece, so that the
/// images pass a barrier nevertheless.
pub(crate) fn chunks<T>(values: &mut [T], length: usize) -> impl Iterator<Item = &mut [T]> {
    let mut rest = Some(values);
    std::iter::from_fn(move || {
        let values = rest.take()?;
        let (chunk, others) = values.split_at_mut(length.min(values.len()));
        rest = (!others.is_empty()).then_some(others);
        Some(chunk)
    })
}
