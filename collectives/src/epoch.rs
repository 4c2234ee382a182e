//! Passing data through the images' scratch spaces.
//!
//! Each scratch space is two buffers that take epochs. In a epoch of the *flat* kind an image writes its buffer, meets
//! the others, and reads theirs. In a epoch of *steps* it publishes piece after piece in its buffer, each as a step, and
//! reads pieces of others as soon as these have come to the step; the images meet at the end.
//!
//! Either way an image writes the same buffer again two epochs later, and the barrier of the epoch between makes sure
//! that everyone has finished reading by then. Within a epoch no place that others may read is written again.
//!
//! In a epoch values may be combined by a function of the program, which may do anything: panic, call a collective, meet
//! the others otherwise, or differ from image to image. There is one epoch at a time in a team, so it begins none of
//! the same team; other teams have scratch spaces of their own. Meetings of its own add to those of the epochs, on which
//! alone the buffers rely, and replace none, since calls are compared. What they replace are the words that were brought
//! to the barrier before, so those are not read after them.
//!
//! What an image on another node has written is not where this one sees its buffer: it is fetched, to a buffer of the epoch
//! or to where it is to be.

mod receive_buffer;
mod steps;

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::slice;

use coarray_coref::Remote;
use coarray_fabric::{Deferral, SCRATCH_BYTES};
use coarray_runtime::{Call, ImageFailed, StepsBegun, Team, quiet_and_defer};

use crate::epoch::receive_buffer::ReceiveBuffer;
use crate::traffic;

const BUFFER: usize = SCRATCH_BYTES / 2;

/// How many words an image brings to a barrier.
const WORDS: usize = 3;

/// Most barrier in a epoch.
const STEPS: usize = 2;

/// One epoch of a collective operation on elements of type `T`.
pub(crate) struct Epoch<'a, T> {
    team: &'a Team,
    call: &'a Call,
    /// The number of the epoch in its team, from 1, which says which buffer it uses.
    epoch: usize,
    /// The operation's next barrier.
    step: usize,
    begun: Option<StepsBegun>,
    /// How many pieces this image has published.
    pieces: usize,
    /// How many elements it has laid out for that in its buffer.
    staged: usize,
    /// What this image brings to the epoch's barriers.
    words: [u64; 3],
    /// The number of the last barrier of this epoch.
    met: u64,
    /// What it has fetched from other nodes.
    received: ReceiveBuffer<T>,
    deferral: Deferral,
}

impl<'a, T: Remote> Epoch<'a, T> {
    /// Begins epoch number `number` of the operation, from 0. From its count to its end no waker runs.
    ///
    /// # Panics
    /// If another epoch is in progress.
    #[inline]
    pub(crate) fn begin(team: &'a Team, call: &'a Call, number: usize) -> Self {
        let deferral = quiet_and_defer();
        // SAFETY: this is the module that passes data through the scratch space.
        let Some(epoch) = (unsafe { team.begin_epoch() }) else {
            team.refuse_epoch(call)
        };
        Self {
            team,
            call,
            epoch: epoch + 1,
            step: number * STEPS,
            begun: None,
            pieces: 0,
            staged: 0,
            words: [0; 3],
            met: 0,
            received: ReceiveBuffer::default(),
            deferral,
        }
    }

    /// Where this image sees element `index` of `image`'s buffer.
    fn place(&self, image: usize, index: usize) -> *mut T {
        const {
            assert!(
                align_of::<T>() <= 64 && size_of::<T>() <= BUFFER,
                "the element does not fit the scratch space"
            )
        };
        assert!(index <= capacity::<T>());
        // SAFETY: the index lies within the buffer.
        unsafe { self.buffer(self.epoch, image).cast::<T>().add(index) }
    }

    /// The buffer of `image` in a epoch.
    fn buffer(&self, epoch: usize, image: usize) -> *mut u8 {
        // SAFETY: each buffer lies in the scratch space.
        unsafe { self.team.scratch(image).add((epoch & 1) * BUFFER) }
    }

    /// Where in the scratch space `length` elements from `start` on of this epoch's buffer are.
    fn bytes(&self, start: usize, length: usize) -> Range<usize> {
        let buffer = (self.epoch & 1) * BUFFER;
        buffer + start * size_of::<T>()..buffer + (start + length) * size_of::<T>()
    }

    /// The operation's next barrier.
    fn next(&mut self) -> Call {
        let call = self.call.at_step(self.step);
        self.step += 1;
        call
    }

    /// Writes `values` to elements `start ..` of this image's buffer, in a epoch without steps.
    ///
    /// # Safety
    /// No other image reads there before the next barrier.
    pub(crate) unsafe fn write(&mut self, start: usize, values: &[T]) {
        assert!(start + values.len() <= capacity::<T>());
        // SAFETY: the target was checked to lie in our buffer; nobody reads it now, as the caller says, or in
        // this epoch before the barrier.
        unsafe {
            ptr::copy_nonoverlapping(
                values.as_ptr(),
                self.place(self.team.index(), start),
                values.len(),
            )
        }
    }

    /// Brings `words` to the barriers of this epoch; after one, all images can read those of all with `Team::words`.
    pub(crate) fn set_payload(&mut self, words: [u64; 3]) {
        self.words = words;
    }

    /// Waits until all images have written.
    ///
    /// # Errors
    /// The images that failed before, on all others alike.
    pub(crate) fn barrier(&mut self) -> Result<(), ImageFailed> {
        let call = self.next();
        // SAFETY: what the other images read now was written before; who does not write is not read.
        let met = unsafe {
            self.team
                .try_barrier_with(&self.deferral, &call, self.words)
        };
        self.met = self.team.barriers();
        met
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
            // SAFETY: that image wrote these elements before the barrier, as the caller says, and they are fetched to
            // as many places.
            return unsafe {
                self.received
                    .fill(length, |target| self.team.fetch(image, bytes, target))
            };
        }
        // SAFETY: the elements lie in the buffer, were written by `image`, and are not written again before
        // the epoch after next, which this image does not begin while `self` is in progress.
        unsafe { slice::from_raw_parts(self.place(image, start), length) }
    }

    /// As [`read`](Self::read), to `target`.
    ///
    /// # Safety
    /// As [`read`](Self::read).
    pub(crate) unsafe fn read_into(&self, image: usize, start: usize, target: &mut [T]) {
        let length = target.len();
        if self.team.is_local(image) {
            // SAFETY: passed on.
            return target.copy_from_slice(unsafe { self.read(image, start, length) });
        }
        assert!(start + length <= capacity::<T>());
        traffic::note(self.team, image, size_of_val(target));
        let (bytes, target) = (self.bytes(start, length), target.as_mut_ptr().cast());
        // SAFETY: that image wrote these elements before the barrier, as the caller says; the target is as long.
        unsafe { self.team.fetch(image, bytes, target) }
    }

    /// Brings `values` to the barrier, without any scratch space, and waits for all images.
    ///
    /// # Errors
    /// The images that failed before, on all others alike.
    ///
    /// # Panics
    /// If the values do not [fit](fits_payload).
    #[inline]
    pub(crate) fn barrier_with(&mut self, values: &[T]) -> Result<(), ImageFailed> {
        self.pack(0, values);
        debug_assert_eq!(self.step, 0, "small values pass in one epoch");
        // SAFETY: what the other images read is what this one brings.
        let met = unsafe {
            self.team
                .try_barrier_with(&self.deferral, self.call, self.words)
        };
        self.met = self.team.barriers();
        met
    }

    /// Puts `values` among those that this image [brings](Self::brought) to the next barrier, from place `start` on.
    ///
    /// # Panics
    /// If they do not [fit](fits_payload) there.
    #[inline]
    pub(crate) fn pack(&mut self, start: usize, values: &[T]) {
        assert!(fits_payload::<T>(start + values.len()));
        // SAFETY: the values were checked to end within the words, and have no padding.
        unsafe {
            let target = self.words.as_mut_ptr().cast::<T>().add(start);
            ptr::copy_nonoverlapping(values.as_ptr(), target, values.len());
        }
    }

    /// Gives `use_values` the `length` values that `image` brought to this epoch's barrier.
    ///
    /// # Panics
    /// If this image has met the others since, which the function with which values are combined may do, by
    /// `sync_all` for instance: that barrier had other words.
    ///
    /// # Safety
    /// `image` brought as many values with [`barrier_with`](Self::barrier_with) or [`pack`](Self::pack).
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn payload<R>(
        &self,
        image: usize,
        length: usize,
        use_values: impl FnOnce(&[T]) -> R,
    ) -> R {
        assert!(fits_payload::<T>(length));
        if self.team.barriers() != self.met {
            self.team.refuse_barrier(self.call);
        }
        traffic::note(self.team, image, length * size_of::<T>());
        let words = self.team.payload(image);
        // SAFETY: the words are as aligned as the values and no shorter, and `pack` wrote values in them.
        use_values(unsafe { slice::from_raw_parts(words.as_ptr().cast(), length) })
    }

    /// `length` places from `start` on of this image's buffer in the next epoch, to be filled after the barrier of this one
    /// and before that of the next.
    ///
    /// # Safety
    /// This epoch has no steps and its barrier is over, no place is given out twice, and `write` in the next epoch goes
    /// to others.
    pub(crate) unsafe fn ahead<'p>(&self, start: usize, length: usize) -> &'p mut [MaybeUninit<T>] {
        assert!(start + length <= capacity::<T>());
        let other = self.buffer(self.epoch + 1, self.team.index());
        // SAFETY: the places lie in the buffer, and each is given out once. All others have come to the barrier of
        // this epoch, so they read that buffer no more, and will not before the next barrier. If a panic leaves places
        // unwritten, this image comes to no barrier after which others would read them: the next step of this
        // operation is not taken.
        unsafe { slice::from_raw_parts_mut(other.cast::<MaybeUninit<T>>().add(start), length) }
    }
}

impl<T> Drop for Epoch<'_, T> {
    fn drop(&mut self) {
        // A panic that the program may catch takes an image out of a epoch only where values are combined: wakers are
        // deferred. In a epoch without steps that is after its barrier. Then all others are in this epoch, or wait in the barrier of the
        // next: nobody reads the other buffer, which the next epoch of this image writes, and it writes this buffer again
        // only after that barrier. Others who are still in the same operation do not take that next epoch for
        // theirs, even if it is one of the same operation, since its first step has another number. A epoch of
        // steps has its barrier at the end, so the others may be in the epoch before as well, and read both buffers:
        // there is no further epoch; nor is there one after a epoch whose barrier never was.
        if self.begun.is_none() && self.met != 0 {
            // SAFETY: begun in `begin`; what `read` returned has borrowed from `self`.
            unsafe { self.team.end_epoch() };
        }
    }
}

/// How many elements pass in one epoch.
pub(crate) const fn capacity<T>() -> usize {
    BUFFER / size_of::<T>()
}

/// Whether so many elements can be brought to a barrier.
#[inline]
pub(crate) const fn fits_payload<T>(length: usize) -> bool {
    align_of::<T>() <= align_of::<u64>() && length <= WORDS * size_of::<u64>() / size_of::<T>()
}

/// The pieces of at most `length` elements that pass one at a time; one empty piece if there is nothing, so that all
/// images meet.
pub(crate) fn chunks<T>(values: &mut [T], length: usize) -> impl Iterator<Item = &mut [T]> {
    let mut rest = Some(values);
    std::iter::from_fn(move || {
        let values = rest.take()?;
        let (chunk, others) = values.split_at_mut(length.min(values.len()));
        rest = (!others.is_empty()).then_some(others);
        Some(chunk)
    })
}

/// Slice number `number` of `length` elements that are divided among `images`.
pub(crate) fn slice(length: usize, images: usize, number: usize) -> std::ops::Range<usize> {
    length * number / images..length * (number + 1) / images
}
