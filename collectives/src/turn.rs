//! Passing data through the images' scratch spaces.
//!
//! Each scratch space is two halves that take turns. In a turn of the *flat* kind an image writes its half, meets
//! the others, and reads theirs. In a turn of *steps* it publishes piece after piece in its half, each as a step, and
//! reads pieces of others as soon as these have come to the step; the images meet at the end.
//!
//! Either way an image writes the same half again two turns later, and the meeting of the turn between makes sure
//! that everyone has finished reading by then. Within a turn no place that others may read is written again.
//!
//! In a turn values may be combined by a function of the program, which may do anything: panic, call a collective, meet
//! the others otherwise, or differ from image to image. There is one turn at a time in a team, so it begins none of
//! the same team; other teams have scratch spaces of their own. Meetings of its own add to those of the turns, on which
//! alone the halves rely, and replace none, since calls are compared. What they replace are the words that were brought
//! to the meeting before, so those are not read after them.
//!
//! What an image on another node has written is not where this one sees its half: it is fetched, to a buffer of the turn
//! or to where it is to be.

mod arrivals;
mod steps;

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::slice;

use coarray_coref::Remote;
use coarray_fabric::{Deferral, SCRATCH_BYTES};
use coarray_runtime::{Call, ImageFailed, StepsBegun, Team, quiet_and_defer};

use crate::traffic;
use crate::turn::arrivals::Arrivals;

const HALF: usize = SCRATCH_BYTES / 2;

/// How many words an image brings to a meeting.
const WORDS: usize = 3;

/// Most rendezvous in a turn.
const STEPS: usize = 2;

/// One turn of a collective operation on elements of type `T`.
pub(crate) struct Turn<'a, T> {
    team: &'a Team,
    call: &'a Call,
    /// The number of the turn in its team, from 1, which says which half it uses.
    turn: usize,
    /// The operation's next rendezvous.
    step: usize,
    begun: Option<StepsBegun>,
    /// How many pieces this image has published.
    pieces: usize,
    /// How many elements it has laid out for that in its half.
    laid_out: usize,
    /// What this image brings to the turn's meetings.
    words: [u64; 3],
    /// The number of the last meeting of this turn.
    met: u64,
    /// What it has fetched from other nodes.
    arrivals: Arrivals<T>,
    deferral: Deferral,
}

impl<'a, T: Remote> Turn<'a, T> {
    /// Begins turn number `number` of the operation, from 0. From its count to its end no waker runs.
    ///
    /// # Panics
    /// If another turn is in progress.
    #[inline]
    pub(crate) fn begin(team: &'a Team, call: &'a Call, number: usize) -> Self {
        let deferral = quiet_and_defer();
        // SAFETY: this is the module that passes data through the scratch space.
        let Some(turn) = (unsafe { team.begin_turn() }) else {
            team.refuse_turn(call)
        };
        Self {
            team,
            call,
            turn: turn + 1,
            step: number * STEPS,
            begun: None,
            pieces: 0,
            laid_out: 0,
            words: [0; 3],
            met: 0,
            arrivals: Arrivals::default(),
            deferral,
        }
    }

    /// Where this image sees element `index` of `image`'s half.
    fn place(&self, image: usize, index: usize) -> *mut T {
        const {
            assert!(
                align_of::<T>() <= 64 && size_of::<T>() <= HALF,
                "the element does not fit the scratch space"
            )
        };
        assert!(index <= capacity::<T>());
        // SAFETY: the index lies within the half.
        unsafe { self.half(self.turn, image).cast::<T>().add(index) }
    }

    /// The half of `image` in a turn.
    fn half(&self, turn: usize, image: usize) -> *mut u8 {
        // SAFETY: each half lies in the scratch space.
        unsafe { self.team.scratch(image).add((turn & 1) * HALF) }
    }

    /// Where in the scratch space `length` elements from `start` on of this turn's half are.
    fn bytes(&self, start: usize, length: usize) -> Range<usize> {
        let half = (self.turn & 1) * HALF;
        half + start * size_of::<T>()..half + (start + length) * size_of::<T>()
    }

    /// The operation's next rendezvous.
    fn next(&mut self) -> Call {
        let call = self.call.at_step(self.step);
        self.step += 1;
        call
    }

    /// Writes `values` to elements `start ..` of this image's half, in a turn without steps.
    ///
    /// # Safety
    /// No other image reads there before the next meeting.
    pub(crate) unsafe fn write(&mut self, start: usize, values: &[T]) {
        assert!(start + values.len() <= capacity::<T>());
        // SAFETY: the target was checked to lie in our half; nobody reads it now, as the caller says, or in
        // this turn before the meeting.
        unsafe {
            ptr::copy_nonoverlapping(
                values.as_ptr(),
                self.place(self.team.index(), start),
                values.len(),
            )
        }
    }

    /// Brings `words` to the meetings of this turn; after one, all images can read those of all with `Team::words`.
    pub(crate) fn bring(&mut self, words: [u64; 3]) {
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

    /// Elements `start .. start + length` of the half of `image`, after a meeting.
    ///
    /// # Safety
    /// `image` wrote them as `T`s before the meeting, and does not write them again in this turn.
    pub(crate) unsafe fn read(&self, image: usize, start: usize, length: usize) -> &[T] {
        assert!(start + length <= capacity::<T>());
        traffic::note(self.team, image, length * size_of::<T>());
        if !self.team.is_near(image) {
            let bytes = self.bytes(start, length);
            // SAFETY: that image wrote these elements before the meeting, as the caller says, and they are fetched to
            // as many places.
            return unsafe {
                self.arrivals
                    .fill(length, |target| self.team.fetch(image, bytes, target))
            };
        }
        // SAFETY: the elements lie in the half, were written by `image`, and are not written again before
        // the turn after next, which this image does not begin while `self` is in progress.
        unsafe { slice::from_raw_parts(self.place(image, start), length) }
    }

    /// As [`read`](Self::read), to `target`.
    ///
    /// # Safety
    /// As [`read`](Self::read).
    pub(crate) unsafe fn read_into(&self, image: usize, start: usize, target: &mut [T]) {
        let length = target.len();
        if self.team.is_near(image) {
            // SAFETY: passed on.
            return target.copy_from_slice(unsafe { self.read(image, start, length) });
        }
        assert!(start + length <= capacity::<T>());
        traffic::note(self.team, image, size_of_val(target));
        let (bytes, target) = (self.bytes(start, length), target.as_mut_ptr().cast());
        // SAFETY: that image wrote these elements before the meeting, as the caller says; the target is as long.
        unsafe { self.team.fetch(image, bytes, target) }
    }

    /// Brings `values` to the meeting, without any scratch space, and waits for all images.
    ///
    /// # Errors
    /// The images that failed before, on all others alike.
    ///
    /// # Panics
    /// If the values do not [fit](fits_card).
    #[inline]
    pub(crate) fn barrier_with(&mut self, values: &[T]) -> Result<(), ImageFailed> {
        self.pack(0, values);
        debug_assert_eq!(self.step, 0, "small values pass in one turn");
        // SAFETY: what the other images read is what this one brings.
        let met = unsafe {
            self.team
                .try_barrier_with(&self.deferral, self.call, self.words)
        };
        self.met = self.team.barriers();
        met
    }

    /// Puts `values` among those that this image [brings](Self::brought) to the next meeting, from place `start` on.
    ///
    /// # Panics
    /// If they do not [fit](fits_card) there.
    #[inline]
    pub(crate) fn pack(&mut self, start: usize, values: &[T]) {
        assert!(fits_card::<T>(start + values.len()));
        // SAFETY: the values were checked to end within the words, and have no padding.
        unsafe {
            let target = self.words.as_mut_ptr().cast::<T>().add(start);
            ptr::copy_nonoverlapping(values.as_ptr(), target, values.len());
        }
    }

    /// Gives `use_values` the `length` values that `image` brought to this turn's meeting.
    ///
    /// # Panics
    /// If this image has met the others since, which the function with which values are combined may do, by
    /// `sync_all` for instance: that meeting had other words.
    ///
    /// # Safety
    /// `image` brought as many values with [`barrier_with`](Self::barrier_with) or [`pack`](Self::pack).
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn brought<R>(
        &self,
        image: usize,
        length: usize,
        use_values: impl FnOnce(&[T]) -> R,
    ) -> R {
        assert!(fits_card::<T>(length));
        if self.team.barriers() != self.met {
            self.team.refuse_barrier(self.call);
        }
        traffic::note(self.team, image, length * size_of::<T>());
        let words = self.team.words(image);
        // SAFETY: the words are as aligned as the values and no shorter, and `pack` wrote values in them.
        use_values(unsafe { slice::from_raw_parts(words.as_ptr().cast(), length) })
    }

    /// `length` places from `start` on of this image's half in the next turn, to be filled after the meeting of this one
    /// and before that of the next.
    ///
    /// # Safety
    /// This turn has no steps and its meeting is over, no place is given out twice, and `write` in the next turn goes
    /// to others.
    pub(crate) unsafe fn ahead<'p>(&self, start: usize, length: usize) -> &'p mut [MaybeUninit<T>] {
        assert!(start + length <= capacity::<T>());
        let other = self.half(self.turn + 1, self.team.index());
        // SAFETY: the places lie in the half, and each is given out once. All others have come to the meeting of
        // this turn, so they read that half no more, and will not before the next meeting. If a panic leaves places
        // unwritten, this image comes to no meeting after which others would read them: the next step of this
        // operation is not taken.
        unsafe { slice::from_raw_parts_mut(other.cast::<MaybeUninit<T>>().add(start), length) }
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        // A panic that the program may catch takes an image out of a turn only where values are combined: wakers are
        // deferred. In a turn without steps that is after its meeting. Then all others are in this turn, or wait in the meeting of the
        // next: nobody reads the other half, which the next turn of this image writes, and it writes this half again
        // only after that meeting. Others who are still in the same operation do not take that next turn for
        // theirs, even if it is one of the same operation, since its first step has another number. A turn of
        // steps has its meeting at the end, so the others may be in the turn before as well, and read both halves:
        // there is no further turn; nor is there one after a turn whose meeting never was.
        if self.begun.is_none() && self.met != 0 {
            // SAFETY: begun in `begin`; what `read` returned has borrowed from `self`.
            unsafe { self.team.end_turn() };
        }
    }
}

/// How many elements pass in one turn.
pub(crate) const fn capacity<T>() -> usize {
    HALF / size_of::<T>()
}

/// Whether so many elements can be brought to a meeting.
#[inline]
pub(crate) const fn fits_card<T>(length: usize) -> bool {
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
