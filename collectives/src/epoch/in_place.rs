//! Flat epochs in which values are read where they are: in a coarray, or in the one process of all images.
//!
//! Images [lend](Loan) their values to the others, who read them after the barrier that announces the loans. Another barrier is at the
//! end. What others cannot reach is not lent; then all images, who know where the values of each are, use the scratch space instead.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::{ptr, slice};

use coarray_coref::Remote;
use coarray_fabric::direct;
use coarray_runtime::{ASKING, Call, ImageFailed, Loan, Team};

use crate::epoch::{CALLS, Epoch};
use crate::traffic;

/// From how many bytes on it pays to ask where the values are: that takes a barrier.
pub(crate) const IN_PLACE_BYTES: usize = 1 << 15;

/// The number of the epoch in its operation: no other has it, so images that ask and those that do not differ in their calls.
const NUMBER: usize = ASKING / CALLS;

const _: () = assert!(ASKING.is_multiple_of(CALLS));

/// How many bytes are combined at a time: copies of them stay in the cache next to the processor.
pub(crate) const PIECE_BYTES: usize = 1 << 13;

/// An epoch in which this image may lend values, and read those of others.
pub(crate) struct InPlace<'a, T> {
    // Dropped first: nobody reads when the epoch ends.
    loan: Option<Loan<'a>>,
    epoch: Epoch<'a, T>,
    is_withdrawn: Cell<bool>,
    /// The number of the barrier that announced the loans.
    announced: u64,
    /// The values that this image has lent.
    values: *mut [T],
    borrowed: PhantomData<&'a [T]>,
}

impl<'a, T: Remote> InPlace<'a, T> {
    /// Lends `values`, unless there are none or others cannot reach them, and waits for all images.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    pub(crate) fn begin(
        team: &'a Team,
        call: &'a Call,
        values: &'a [T],
    ) -> Result<Self, ImageFailed> {
        Self::lend(team, call, ptr::from_ref(values).cast_mut())
    }

    /// As [`begin`](Self::begin), and this image changes the values, where others do not read them.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub(crate) fn begin_mut(
        team: &'a Team,
        call: &'a Call,
        values: &'a mut [T],
    ) -> Result<Self, ImageFailed> {
        Self::lend(team, call, values)
    }

    #[inline(never)]
    fn lend(team: &'a Team, call: &'a Call, values: *mut [T]) -> Result<Self, ImageFailed> {
        let mut epoch = Epoch::begin(team, call, NUMBER);
        let place = team.place_for_all(values.cast(), values.len() * size_of::<T>());
        // SAFETY: the values are borrowed until the loan is dropped, which only `end` prevents; `own` changes only what nobody reads.
        let loan = place.map(|_| unsafe { team.lend() });
        epoch.set_payload([place.unwrap_or_default(), 0, 0]);
        let mut in_place = Self {
            loan,
            epoch,
            is_withdrawn: Cell::new(false),
            announced: team.barriers() + 1,
            values,
            borrowed: PhantomData,
        };
        in_place.barrier()?;
        Ok(in_place)
    }

    /// Waits for all images in the middle of the epoch: what they have written to their own values can be read then.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    pub(crate) fn barrier(&mut self) -> Result<(), ImageFailed> {
        self.epoch.barrier()
    }

    /// Elements `range` of the values that this image has lent.
    ///
    /// # Safety
    /// It has lent them by [`begin_mut`](Self::begin_mut), and no image reads these before the next barrier.
    pub(crate) unsafe fn own(&mut self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.values.len());
        // SAFETY: the elements lie in the values, which are borrowed exclusively for longer than `self`. The caller vouches for the
        // other images; of this image there is no other reference to them, as `self` is borrowed.
        unsafe {
            let start = self.values.cast::<T>().add(range.start);
            slice::from_raw_parts_mut(start, range.len())
        }
    }

    /// Whether these images have lent their values: the same on all images. If not, this is all that there is to do in the epoch.
    pub(crate) fn have_lent(&self, images: impl IntoIterator<Item = usize>) -> bool {
        let have_lent = images.into_iter().all(|image| self.place(image) != 0);
        let (team, call) = (self.epoch.team, self.epoch.call);
        team.note_places(call, have_lent);
        have_lent
    }

    fn place(&self, image: usize) -> u64 {
        // An operator of the program may have passed another barrier.
        if self.epoch.team.barriers() != self.epoch.last_barrier {
            self.epoch.team.refuse_barrier(self.epoch.call);
        }
        self.epoch.team.payload(image)[0]
    }

    /// Calls `use_values` with elements `range` of those that `image` has lent. Not if that image has withdrawn them: then a panic unwinds
    /// it, and this image does not pass the next barrier.
    ///
    /// # Safety
    /// It has lent so many `T`s, and writes to none of these before the next barrier. `use_values` runs nothing of the program.
    pub(crate) unsafe fn read(
        &self,
        image: usize,
        range: Range<usize>,
        use_values: impl FnOnce(&[T]),
    ) {
        let (team, place) = (self.epoch.team, self.place(image));
        assert_ne!(place, 0, "image {image} has lent nothing");
        traffic::note(team, image, range.len() * size_of::<T>());
        let read = |start: *const u8| {
            // SAFETY: the caller vouches for the elements, which start where that image has them, aligned. The loan stands meanwhile, so
            // nobody else writes to them.
            use_values(unsafe {
                slice::from_raw_parts(start.cast::<T>().add(range.start), range.len())
            });
        };
        // SAFETY: the place is what that image brought to the barrier that announced its loan, and to the others of the epoch, which
        // is not over. The caller vouches for `use_values`.
        if !unsafe { team.read_lent(image, self.announced, place, read) } {
            // A panic unwinds that image, so it does not come to the end.
            self.is_withdrawn.set(true);
        }
    }

    /// Copies the elements from `start` on of those that `image` has lent, as many as `target` has.
    ///
    /// # Safety
    /// It has lent so many `T`s, and writes to none of these before the next barrier.
    #[inline(never)]
    pub(crate) unsafe fn read_into(&self, image: usize, start: usize, target: &mut [T]) {
        let range = start..start + target.len();
        let copy = |values: &[T]| {
            let (to, from) = (target.as_mut_ptr().cast(), values.as_ptr().cast());
            // SAFETY: both are slices of as many elements. Long copies go past the caches.
            unsafe { direct::copy(to, from, size_of_val(values)) }
        };
        // SAFETY: the caller vouches for the elements; `copy` runs nothing of the program.
        unsafe { self.read(image, range, copy) }
    }

    /// Replaces `target` by a copy of elements `range` of those that `image` has lent.
    ///
    /// # Safety
    /// As [`read_into`](Self::read_into).
    pub(crate) unsafe fn read_to_vec(
        &self,
        image: usize,
        range: Range<usize>,
        target: &mut Vec<T>,
    ) {
        let copy = |values: &[T]| {
            target.clear();
            target.extend_from_slice(values);
        };
        // SAFETY: the caller vouches for the elements; `copy` runs nothing of the program.
        unsafe { self.read(image, range, copy) }
    }

    /// Copies elements `range` of those that `image` has lent to the same elements of this image.
    ///
    /// # Safety
    /// As [`read_into`](Self::read_into) for the one, and as [`own`](Self::own) for the other.
    pub(crate) unsafe fn read_to_own(&mut self, image: usize, range: Range<usize>) {
        // SAFETY: the caller vouches for both. `read_into` does not touch `self.values`.
        unsafe {
            let target: *mut [T] = self.own(range.clone());
            self.read_into(image, range.start, &mut *target);
        }
    }

    /// Waits until all images have finished reading.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    #[inline(never)]
    pub(crate) fn end(mut self) -> Result<(), ImageFailed> {
        let passed = self.epoch.barrier();
        if let Some(loan) = self.loan.take() {
            // SAFETY: this image has passed the barrier of the team after the one that announced the loan, or learnt there who failed.
            unsafe { loan.returned() };
        }
        assert!(
            passed.is_err() || !self.is_withdrawn.get(),
            "an image withdrew what it lent, and came to the end nevertheless"
        );
        passed
    }
}
