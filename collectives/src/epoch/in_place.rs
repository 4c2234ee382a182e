//! Epochs in which values that are moved are read where they are: in a coarray, in the one process of all images, or, by
//! [`Algorithm::InPlace`], in the process of another image.
//!
//! Images [lend](Loan) their values to the others, who read them after the barrier that announces the loans. Another barrier is at the
//! end. What others cannot reach is not lent; then all images, who know where the values of each are, use the
//! scratch space instead.
//!
//! The kernel copies from another process. It copies once, where images copy twice, but not in the cache, and with the price of each page.
//!
//! Values that are combined pass through the scratch space wherever they are, unless an algorithm is chosen that combines them in place: results
//! replace values there that others read, so the caches of two processors pass all of both to and fro, where a buffer stays in them. Which one is
//! faster depends on the processors.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::{ptr, slice};

use coarray_coref::Remote;
use coarray_fabric::{BUFFER_BYTES, direct};
use coarray_runtime::{ASKING, Call, ImageFailed, Loan, Team};

use crate::Algorithm;
use crate::eager::{Posts, may_post};
use crate::epoch::{CALLS, Epoch};
use crate::traffic;

/// The number of the epoch in its operation: no other has it, so images that ask and those that do not differ in their calls.
const NUMBER: usize = ASKING / CALLS;

const _: () = assert!(ASKING.is_multiple_of(CALLS));

/// The most images that read values of others on other nodes. More images would all wait for one that has them.
const FEW: usize = 8;

/// From how many bytes on it pays to ask images on other nodes where their values are.
const MOVED_BYTES: usize = 1 << 14;

/// Whether it pays to ask where the `T`s are of which an image else writes `bytes` bytes for others.
#[inline]
pub(crate) fn pays<T: Remote>(team: &Team, bytes: usize) -> bool {
    if team.is_on_one_node() {
        // What fits a buffer is copied there by instructions that fetch no lines; values that others have read where they are must be fetched back,
        // line by line, when the program changes them.
        return bytes > BUFFER_BYTES;
    }
    // Images of one node would each get the same values, and a fabric has got any bytes if an image is gone.
    bytes >= MOVED_BYTES && T::ANY_BITS && team.is_apart() && team.images() <= FEW
}

/// Set beside the place of its values by an image that reads the memory of the processes of all others.
const READS: u64 = 1 << 61;

/// Posts the place of this image's values, and returns those of all images. Between nodes that takes a quarter of the time of a barrier which
/// tells them.
fn post(team: &Team, call: &Call, place: u64) -> Vec<u64> {
    let images = team.images();
    let posts = Posts::begin(team, call, &[place], size_of::<u64>(), 0..images);
    let mut places = vec![0; images];
    for (image, place) in places.iter_mut().enumerate() {
        // SAFETY: every image posts one place for this call.
        unsafe { posts.read_into(image, 0, slice::from_mut(place)) };
    }
    places
}

/// An epoch in which this image may lend values, and read those of others.
pub(crate) struct InPlace<'a, T> {
    // Dropped first: nobody reads when the epoch ends.
    loan: Option<Loan<'a>>,
    epoch: Epoch<'a, T>,
    /// Whether values could not be read: a panic unwinds their image.
    has_missed: Cell<bool>,
    /// The number of the barrier that announced the loans.
    announced: u64,
    /// Where the values of each image are, if that was not told by the barrier.
    posted: Vec<u64>,
    /// The values that this image has lent.
    values: *mut [T],
    borrowed: PhantomData<&'a [T]>,
}

impl<'a, T: Remote> InPlace<'a, T> {
    /// Lends `values`, unless there are none or others cannot reach them, waits for all images, calls `read` in the epoch, and ends it. Returns
    /// false, on all images, if one of the `lenders` has lent nothing. By [`Algorithm::InPlace`] others may reach them by the kernel.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    #[inline]
    pub(crate) fn run(
        team: &'a Team,
        call: &'a Call,
        algorithm: Algorithm,
        values: &'a [T],
        lenders: impl Fn(usize) -> bool,
        read: impl FnOnce(&Self),
    ) -> Result<bool, ImageFailed> {
        let read = |epoch: &mut Self| {
            read(epoch);
            Ok(())
        };
        // Should the process of a lender that was killed be another one by now, any bytes are values.
        let by_kernel = algorithm == Algorithm::InPlace && T::ANY_BITS && team.reads_processes();
        let values = ptr::from_ref(values).cast_mut();
        Self::lend(team, call, values, by_kernel, &lenders, read)
    }

    /// As [`run`](Self::run), and this image changes the values, where others do not read them.
    ///
    /// # Errors
    /// As [`run`](Self::run), and those of `read`.
    #[inline]
    pub(crate) fn run_mut(
        team: &'a Team,
        call: &'a Call,
        values: &'a mut [T],
        lenders: impl Fn(usize) -> bool,
        read: impl FnOnce(&mut Self) -> Result<(), ImageFailed>,
    ) -> Result<bool, ImageFailed> {
        Self::lend(team, call, values, false, &lenders, read)
    }

    #[inline]
    fn lend(
        team: &'a Team,
        call: &'a Call,
        values: *mut [T],
        by_kernel: bool,
        lenders: &dyn Fn(usize) -> bool,
        read: impl FnOnce(&mut Self) -> Result<(), ImageFailed>,
    ) -> Result<bool, ImageFailed> {
        let bytes = values.len() * size_of::<T>();
        let place = team.place_for_all(values.cast(), bytes, by_kernel);
        let places = match !team.is_on_one_node() && may_post(team, size_of::<u64>()) {
            true => post(team, &call.at_step(ASKING), place.unwrap_or_default()),
            false => Vec::new(),
        };
        let mut posted = (0..).zip(&places);
        if posted.any(|(image, &place)| place == 0 && lenders(image)) {
            team.note_places(call, false);
            return Ok(false);
        }
        let mut in_place = Self {
            epoch: Epoch::begin(team, call, NUMBER),
            // SAFETY: the values are borrowed until the loan is dropped, which only `end` prevents; `own` changes only what nobody reads.
            loan: place.map(|_| unsafe { team.lend() }),
            has_missed: Cell::new(false),
            announced: team.barriers() + 1,
            posted: places,
            values,
            borrowed: PhantomData,
        };
        let reads = if by_kernel { READS } else { 0 };
        if !in_place.announce(place.unwrap_or_default() | reads, lenders)? {
            return Ok(false);
        }
        read(&mut in_place)?;
        in_place.end().map(|()| true)
    }

    /// Waits for all images, which tell where their values are if they have not posted that. Returns whether all `lenders` have lent some.
    #[inline(never)]
    fn announce(
        &mut self,
        place: u64,
        lenders: &dyn Fn(usize) -> bool,
    ) -> Result<bool, ImageFailed> {
        match self.posted.is_empty() {
            true => self.epoch.barrier_with_word(place)?,
            // That was the call of the posts.
            false => self.epoch.step += 1,
        }
        let team = self.epoch.team;
        let images = 0..team.images();
        let all_read = images.clone().all(|image| self.word(image) & READS != 0);
        let is_reached = |image| {
            let place = self.place(image);
            place != 0 && (all_read || !Team::is_in_process(place))
        };
        let have_lent = images.filter(|&image| lenders(image)).all(is_reached);
        team.note_places(self.epoch.call, have_lent);
        Ok(have_lent)
    }

    /// Waits for all images in the middle of the epoch: what they have written to their own values can be read then.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    pub(crate) fn barrier(&mut self) -> Result<(), ImageFailed> {
        match self.posted.is_empty() {
            // The images tell their places again: they are looked up in what came with the last barrier.
            true => {
                let place = self.told(self.epoch.team.index());
                self.epoch.barrier_with_word(place)
            }
            false => self.epoch.barrier(),
        }
    }

    /// Notes that `image` writes so many elements of this image.
    pub(crate) fn note_written(&self, image: usize, length: usize) {
        traffic::note(self.epoch.team, image, length * size_of::<T>());
    }

    /// Elements `range` of the values that this image has lent.
    ///
    /// # Safety
    /// It has lent them by [`run_mut`](Self::run_mut), and no image reads these before the next barrier.
    pub(crate) unsafe fn own(&mut self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.values.len());
        // SAFETY: the elements lie in the values, which are borrowed exclusively for longer than `self`. The caller vouches for the
        // other images; of this image there is no other reference to them, as `self` is borrowed.
        unsafe {
            let start = self.values.cast::<T>().add(range.start);
            slice::from_raw_parts_mut(start, range.len())
        }
    }

    /// Whether the image has lent its values: known to all images.
    pub(crate) fn has_lent(&self, image: usize) -> bool {
        self.place(image) != 0
    }

    fn place(&self, image: usize) -> u64 {
        self.word(image) & !READS
    }

    /// What the image has posted, or brought to the barrier.
    fn word(&self, image: usize) -> u64 {
        let posted = self.posted.get(image).copied();
        posted.unwrap_or_else(|| self.told(image))
    }

    /// What the image brought to the barrier.
    fn told(&self, image: usize) -> u64 {
        // An operator of the program may have passed another barrier.
        if self.epoch.team.barriers() != self.epoch.last_barrier {
            self.epoch.team.refuse_barrier(self.epoch.call);
        }
        self.epoch.team.payload(image)[0]
    }

    /// Calls `access` with the start of what `image`, which is on this node, has lent, and notes if that is not there any more. Returns whether
    /// it is.
    ///
    /// # Safety
    /// `access` reads such elements only that the image has lent and does not write before the next barrier, and runs nothing of the program;
    /// or it writes such elements only that nobody else accesses before the next barrier.
    unsafe fn access_lent(&self, image: usize, access: impl FnOnce(*const T)) -> bool {
        let (team, place) = (self.epoch.team, self.place(image));
        let access = |start: *const u8| access(start.cast());
        // SAFETY: the place is what that image brought to the barrier that announced its loan, and to the others of the epoch, which
        // is not over. The caller vouches for `access`.
        let stands = unsafe { team.read_lent(image, self.announced, place, access) };
        if !stands {
            self.has_missed.set(true);
        }
        stands
    }

    /// Copies elements `range` of those that `image` has lent to `target`, unless they are missed. Returns whether it has.
    ///
    /// # Safety
    /// It has lent so many `T`s, and writes to none of these before the next barrier. `target` is valid for writes of as many. If that image is on
    /// another node, any bytes are a `T`.
    #[inline(never)]
    unsafe fn copy_lent(&self, image: usize, range: Range<usize>, target: *mut T) -> bool {
        let (team, size, place) = (self.epoch.team, size_of::<T>(), self.place(image));
        traffic::note(team, image, range.len() * size);
        assert_ne!(place, 0, "image {image} has lent nothing");
        if !team.is_local(image) || Team::is_in_process(place) {
            let bytes = range.start * size..range.end * size;
            // SAFETY: the caller vouches for the elements, and for the target. Of another process, which may be gone, all bytes are values: `run`
            // lends no others to it.
            let is_fetched = unsafe { team.fetch_lent(image, place, bytes, target.cast()) };
            if !is_fetched {
                self.has_missed.set(true);
            }
            return is_fetched;
        }
        let copy = |lent: *const T| {
            // SAFETY: the caller vouches for the elements, to which nobody writes, and for the target. Long copies go past the caches.
            unsafe {
                direct::copy(
                    target.cast(),
                    lent.add(range.start).cast(),
                    range.len() * size,
                )
            }
        };
        // SAFETY: the caller vouches for the elements; `copy` runs nothing of the program.
        unsafe { self.access_lent(image, copy) }
    }

    /// Copies the elements from `start` on of those that `image` has lent, as many as `target` has.
    ///
    /// # Safety
    /// It has lent so many `T`s, and writes to none of these before the next barrier. If it is on another node, any bytes are a `T`.
    pub(crate) unsafe fn read_into(&self, image: usize, start: usize, target: &mut [T]) {
        // SAFETY: the caller vouches for the elements; the target has as many. If they are missed it keeps its own.
        unsafe { self.copy_lent(image, start..start + target.len(), target.as_mut_ptr()) };
    }

    /// Replaces `target` by a copy of elements `range` of those that `image` has lent; of none, if they are missed.
    ///
    /// # Safety
    /// As [`read_into`](Self::read_into).
    pub(crate) unsafe fn read_to_vec(
        &self,
        image: usize,
        range: Range<usize>,
        target: &mut Vec<T>,
    ) {
        target.clear();
        let length = range.len();
        target.reserve(length);
        // SAFETY: the caller vouches for the elements; the vector has room for as many, and has them then.
        unsafe {
            if self.copy_lent(image, range, target.as_mut_ptr()) {
                target.set_len(length);
            }
        }
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

    /// Copies elements `range` of this image to the same elements of those that `image` has lent.
    ///
    /// # Safety
    /// Both have lent so many `T`s by [`run_mut`](Self::run_mut). No other image accesses these elements of theirs before the next barrier, nor writes to
    /// this image's. Any bytes are a `T`: this image may die in the middle of one.
    pub(crate) unsafe fn write_from_own(&self, image: usize, range: Range<usize>) {
        assert!(range.start <= range.end && range.end <= self.values.len());
        let bytes = range.len() * size_of::<T>();
        let copy = |lent: *const T| {
            // SAFETY: the caller vouches for both, of which the other one was lent by a pointer that may be written through. Long copies go past the
            // caches.
            unsafe {
                let target = lent.cast_mut().add(range.start);
                let source = self.values.cast::<T>().add(range.start);
                direct::copy(target.cast(), source.cast(), bytes);
            }
        };
        // SAFETY: the caller vouches for the elements; `copy` runs nothing of the program.
        unsafe { self.access_lent(image, copy) };
    }

    /// Waits until all images have finished reading.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    #[inline(never)]
    fn end(&mut self) -> Result<(), ImageFailed> {
        let team = self.epoch.team;
        let may_miss = team.is_on_one_node();
        let passed = match may_miss {
            true => self.epoch.barrier_with_word(self.has_missed.get().into()),
            // Without a payload a barrier between nodes needs no messages.
            false => self.epoch.barrier(),
        };
        if let Some(loan) = self.loan.take() {
            // SAFETY: this image has passed the barrier of the team after the one that announced the loan, or learnt there who failed.
            unsafe { loan.returned() };
        }
        passed?;
        if may_miss && (0..team.images()).any(|image| self.told(image) != 0) {
            // An image that unwinds passes no other barrier.
            self.epoch.barrier()?;
            panic!(
                "{}: the kernel did not let an image read the memory of another any more; set COARRAY_CROSS_MEMORY=0",
                self.epoch.call.describe(team)
            );
        }
        Ok(())
    }
}
