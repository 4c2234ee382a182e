//! Gets of many runs through the fabric: all are issued before the first is waited for.
//!
//! An operation costs more than the bytes of a small gap. So short runs that are near each other are fetched as one, with the
//! bytes between them, and picked from there: the *data sieving* of R. Thakur, W. Gropp and E. Lusk, Frontiers 1999.

use std::iter::Peekable;
use std::ptr;

use coarray_fabric::{Buffer, Deferral, Fabric, Request, Strided, reach};
use coarray_runtime::Image;

use crate::access::Access;
use crate::coref::Coref;
use crate::region::runs::{Run, Runs};

/// The longest gap, and the longest run, that are fetched with others.
const NEAR: usize = 2 << 10;

/// The most bytes that are fetched as one for the sake of several runs.
const COVER_AT_MOST: usize = 24 << 10;

/// Bytes that arrive with gaps at the same time.
const SCRATCH: usize = 5 * COVER_AT_MOST;

/// The length of most items of lists.
const WORD: usize = size_of::<u64>();

/// Runs that are fetched as one.
struct Cover<I> {
    /// Begins with the runs of the cover.
    runs: I,
    count: usize,
    start: isize,
    length: usize,
}

fn next_cover<I: Iterator<Item = Run> + Clone>(
    runs: &mut Peekable<I>,
    length: usize,
    near: usize,
) -> Option<Cover<Peekable<I>>> {
    let from_here = runs.clone();
    let start = runs.next()?.from;
    let (mut count, mut covered) = (1, length);
    let continued = |run: &Run, covered: usize| {
        let reached = usize::try_from(run.from - start).ok()?;
        let both = covered.max(reached + length);
        (reached.saturating_sub(covered) <= near && both <= COVER_AT_MOST).then_some(both)
    };
    while length <= NEAR
        && let Some(both) = runs.peek().and_then(|run| continued(run, covered))
    {
        runs.next();
        (count, covered) = (count + 1, both);
    }
    Some(Cover {
        runs: from_here,
        count,
        start,
        length: covered,
    })
}

/// Gets of runs of `length` bytes to `target` that were issued and are not complete.
struct Batch<I> {
    target: *mut u8,
    length: usize,
    /// The longest gap that is fetched with runs.
    near: usize,
    requests: Vec<Request>,
    /// Covers, and where in the scratch memory they arrive.
    covers: Vec<(Cover<I>, usize)>,
    scratch: Vec<u8>,
    used: usize,
}

impl<I: Iterator<Item = Run> + Clone> Batch<Peekable<I>> {
    fn new(target: *mut u8, length: usize) -> Self {
        // What is in a gap is of no interest, and it is not this program's mistake if others put it.
        let is_checked = Image::with_current(Image::is_checked);
        Self {
            target,
            length,
            near: if is_checked { 0 } else { NEAR },
            requests: Vec::new(),
            covers: Vec::new(),
            scratch: Vec::new(),
            used: 0,
        }
    }

    /// Where a cover of this length arrives, if there is room.
    fn room(&mut self, length: usize) -> Option<usize> {
        self.scratch.reserve_exact(SCRATCH);
        let start = self.used;
        self.used += length;
        (self.used <= SCRATCH).then_some(start)
    }

    /// Issues gets of runs that count from `offset` on `image`. If they are all that there is, and are fetched as one, waits.
    ///
    /// # Safety
    /// The place there has `length` bytes at each `from`, and all bytes in between; its owner holds no exclusive reference to it.
    /// The target is valid for writes of `length` bytes at each `to` until `complete`, which is called before anything unwinds.
    unsafe fn fetch(
        &mut self,
        fabric: &dyn Fabric,
        (image, offset): (usize, usize),
        runs: I,
        are_all: bool,
    ) {
        let mut runs = runs.peekable();
        while let Some(mut cover) = next_cover(&mut runs, self.length, self.near) {
            let from = offset.wrapping_add_signed(cover.start);
            let is_single = cover.count == 1;
            let buffer = match cover.runs.peek() {
                Some(run) if is_single => self.target.wrapping_offset(run.to),
                _ => {
                    let at = self.room(cover.length).unwrap_or_else(|| {
                        // SAFETY: the caller vouches for the target.
                        unsafe { self.complete(fabric) };
                        self.used = cover.length;
                        0
                    });
                    self.scratch.as_mut_ptr().wrapping_add(at)
                }
            };
            let covered = cover.length;
            let is_only = are_all && runs.peek().is_none() && self.requests.is_empty();
            // SAFETY: for a single run the caller vouches for target and place. Otherwise the scratch memory has room for the
            // cover, and is moved or freed after `complete` only; the bytes between the runs lie in the same place, to which its
            // owner holds no exclusive reference, and what they are does not matter.
            unsafe {
                if is_only {
                    fabric.get(image, from, buffer, covered);
                } else {
                    let buffer = Buffer::Lent(buffer, covered);
                    let request = fabric.issue_get(image, from, buffer);
                    self.requests.push(request);
                }
            }
            if !is_single {
                let at = self.used - covered;
                self.covers.push((cover, at));
            }
        }
    }

    /// Waits for everything, and picks the runs from what has arrived.
    ///
    /// # Safety
    /// The target is valid for writes of `length` bytes where the runs say.
    unsafe fn complete(&mut self, fabric: &dyn Fabric) {
        for request in self.requests.drain(..) {
            fabric.wait(&request);
        }
        for (cover, at) in self.covers.drain(..) {
            for run in cover.runs.take(cover.count) {
                let from = at.wrapping_add_signed(run.from - cover.start);
                // SAFETY: the run lies in the cover, which has arrived at `at`; the caller vouches for the target. The scratch
                // memory is its own.
                unsafe {
                    let from = self.scratch.as_ptr().add(from);
                    let to = self.target.wrapping_offset(run.to);
                    match self.length {
                        // A list of words: a move each, and no call.
                        WORD => ptr::copy_nonoverlapping(from, to, WORD),
                        length => ptr::copy_nonoverlapping(from, to, length),
                    }
                }
            }
        }
        self.used = 0;
    }
}

/// Gets the runs of a block through the fabric; complete on return.
///
/// # Safety
/// As [`fetch_runs`].
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn fetch_block<T: ?Sized, A: Access, const D: usize>(
    place: &Coref<T, A>,
    target: *mut u8,
    runs: Runs<D>,
) {
    let (image, length) = (place.image(), runs.length());
    let is_done = runs.len() > 1 && {
        let axes = runs.axes_from();
        let block = Strided {
            length,
            axes: &axes,
        };
        reach(image, place.local_address(), |fabric, offset| {
            // SAFETY: the caller vouches for place and target, and for the bytes between the runs. The owner holds no exclusive
            // reference to the place, as the contract of `Coref::new` says.
            unsafe { fabric.get_strided(image, offset, target, &block) }
        })
    };
    if !is_done {
        // SAFETY: the caller vouches for place and target.
        unsafe { fetch_runs(place, target, runs, length) }
    }
}

/// Gets runs of `length` bytes through the fabric; complete on return.
///
/// # Safety
/// The place that `place` is a part of has `length` bytes at each `from`, counted from `place`, and all bytes in between. `target`
/// is valid for writes of `length` bytes at each `to`, which nobody else accesses.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn fetch_runs<T: ?Sized, A: Access>(
    place: &Coref<T, A>,
    target: *mut u8,
    runs: impl Iterator<Item = Run> + Clone,
    length: usize,
) {
    // A waker that panics must not unwind while operations write to the target.
    let _wakers = Deferral::new();
    let image = place.image();
    reach(image, place.local_address(), |fabric, offset| {
        let mut batch = Batch::new(target, length);
        // SAFETY: the caller vouches for place and target, and the contract of `Coref::new` for the owner. Nothing unwinds before
        // `complete`: wakers are deferred, and what fails in a fabric ends the job.
        unsafe {
            batch.fetch(fabric, (image, offset), runs, true);
            batch.complete(fabric);
        }
    });
}

/// Gets runs of `length` bytes from several places through the fabric, all at the same time; complete on return.
///
/// # Safety
/// As [`fetch_runs`], for each place and its runs.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn fetch_runs_of_each<T, A: Access>(
    places: &[(&Coref<T, A>, &[Run])],
    target: *mut u8,
    length: usize,
) {
    let Some((first, _)) = places.first() else {
        return;
    };
    // A waker that panics must not unwind while operations write to the target.
    let _wakers = Deferral::new();
    let here = Image::current();
    // One call, as it may poll, and the image may unwind then.
    reach(first.image(), first.local_address(), |fabric, _| {
        let mut batch = Batch::new(target, length);
        for (place, runs) in places {
            let image = place.image();
            let offset = here.offset_of(image, place.local_address());
            // SAFETY: the caller vouches for place and target, and the contract of `Coref::new` for the owner. Nothing unwinds
            // before `complete`: wakers are deferred, and what fails in a fabric ends the job.
            unsafe { batch.fetch(fabric, (image, offset), runs.iter().copied(), false) };
        }
        // SAFETY: the caller vouches for the target.
        unsafe { batch.complete(fabric) };
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(starts: &[isize], length: usize) -> Vec<(isize, usize, usize)> {
        let runs = starts.iter().map(|&from| Run { to: 0, from });
        let mut runs = runs.peekable();
        std::iter::from_fn(|| next_cover(&mut runs, length, NEAR))
            .map(|cover| (cover.start, cover.length, cover.count))
            .collect()
    }

    #[test]
    fn short_runs_that_are_near_each_other_are_fetched_as_one() {
        assert_eq!(covers(&[], 8), []);
        assert_eq!(covers(&[16], 8), [(16, 8, 1)]);
        assert_eq!(covers(&[0, 100, 108], 8), [(0, 116, 3)]);
        assert_eq!(covers(&[0, 9000, 9100], 8), [(0, 8, 1), (9000, 108, 2)]);
    }

    #[test]
    fn runs_that_go_back_or_are_long_are_fetched_alone() {
        assert_eq!(covers(&[100, 50, 58], 8), [(100, 8, 1), (50, 16, 2)]);
        assert_eq!(covers(&[0, 4, 4], 8), [(0, 12, 3)]);
        let long = NEAR + 1;
        assert_eq!(covers(&[0, 5000], long), [(0, long, 1), (5000, long, 1)]);
    }

    #[test]
    fn a_cover_fits_the_scratch_memory() {
        let starts: Vec<isize> = (0..100).map(|index| 2000 * index).collect();
        let covers = covers(&starts, 1000);
        assert_eq!(covers.iter().map(|cover| cover.2).sum::<usize>(), 100);
        assert!(covers.iter().all(|cover| cover.1 <= COVER_AT_MOST));
    }
}
