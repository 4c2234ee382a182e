//! Copies of runs between mapped places, and puts of runs through the fabric.

use std::mem::MaybeUninit;

use coarray_fabric::{Buffer, Deferral, Fabric, Request, Strided, direct, reach_to_put};
use coarray_runtime::Image;

use crate::access::MayPut;
use crate::coref::Coref;
use crate::region::runs::{Run, Runs};

/// Up to this length a put is staged by the fabric, and the next can follow at once.
const STAGED: usize = 512;

/// From so many items on, a list is one operation of the fabric, if it has such a one.
const LISTED: usize = 32;

const WORD: usize = size_of::<u64>();

/// Copies runs of `length` bytes, which are whole items.
///
/// Always inlined, so that the runs stay in registers. In memory they cost more than a small block: see `Runs::new`.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `length` bytes where the runs say, aligned for `T`. Others may access them at the
/// same time through `direct`.
#[inline(always)]
pub(crate) unsafe fn copy_runs<T: Copy>(
    to: *mut u8,
    from: *const u8,
    runs: impl Iterator<Item = Run>,
    length: usize,
) {
    if length == size_of::<T>() && length <= direct::SCALAR_BYTES {
        return runs.for_each(|run| {
            let to = to.wrapping_offset(run.to).cast::<MaybeUninit<T>>();
            let from = from.wrapping_offset(run.from).cast::<T>();
            // SAFETY: the caller vouches for an item at each of the two; a `T` that is moved between images has no padding.
            unsafe { direct::store(to, &direct::load(from)) }
        });
    }
    runs.for_each(|run| {
        let (to, from) = (to.wrapping_offset(run.to), from.wrapping_offset(run.from));
        // SAFETY: the caller vouches for `length` bytes at each of the two.
        unsafe { direct::copy(to, from, length) }
    });
}

/// Puts the runs of a block through the fabric. The source may be changed on return.
///
/// # Safety
/// As [`send_runs`].
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn send_block<T: ?Sized, A: MayPut, const D: usize>(
    place: &Coref<T, A>,
    source: *const u8,
    runs: Runs<D>,
) {
    let (image, length) = (place.image(), runs.length());
    let is_done = runs.len() > 1 && {
        let axes = runs.axes_to();
        let block = Strided {
            length,
            axes: &axes,
        };
        reach_to_put(image, place.local_address(), |fabric, offset| {
            // SAFETY: the caller vouches for place and source; the bytes between the runs are in the same place. The owner holds no
            // reference to it, as the contract of `Coref::new` says.
            unsafe { fabric.put_strided(image, offset, source, &block) }
        })
    };
    if !is_done {
        // SAFETY: the caller vouches for place and source.
        unsafe { send_runs(place, source, runs, length) }
    }
}

/// Puts runs of `length` bytes through the fabric. The source may be changed on return.
///
/// # Safety
/// `source` is valid for reads of `length` bytes at each `from`, and the place that `place` is a part of has them at each `to`.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn send_runs<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    source: *const u8,
    runs: impl Iterator<Item = Run>,
    length: usize,
) {
    // A waker that panics must not unwind while operations read the source.
    let _wakers = Deferral::new();
    let image = place.image();
    reach_to_put(image, place.local_address(), |fabric, offset| {
        let is_staged = length <= STAGED || runs.size_hint().1 == Some(1);
        // SAFETY: the caller vouches for both sides, and the contract of `Coref::new` for the owner. The source stays valid until
        // the operations are complete, below: wakers are deferred, and what fails in a fabric ends the job.
        let issued: Vec<Request> = runs
            .filter_map(|run| unsafe {
                issue(fabric, (image, offset), source, run, length, is_staged)
            })
            .collect();
        issued.iter().for_each(|request| fabric.wait(request));
    });
}

/// Puts runs of `length` bytes to several places through the fabric, all at the same time. The source may be changed on return.
///
/// # Safety
/// As [`send_runs`], for each place and its runs. The places of the runs to each ascend, and none overlaps the next; all bytes in between are in
/// the place that it is a part of.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn send_runs_to_each<T: ?Sized, A: MayPut>(
    places: &[(&Coref<T, A>, &[Run])],
    source: *const u8,
    length: usize,
) {
    let Some((first, _)) = places.first() else {
        return;
    };
    // A waker that panics must not unwind while operations read the source.
    let _wakers = Deferral::new();
    let here = Image::current();
    reach_to_put(first.image(), first.local_address(), |fabric, _| {
        let mut issued = Vec::new();
        for (place, runs) in places {
            let image = place.image();
            let there = (image, here.offset_of(image, place.local_address()));
            // SAFETY: as in `send_runs`; the caller vouches for the order of the runs.
            unsafe {
                let is_done = runs.len() >= LISTED
                    && fabric.put_listed(there.0, there.1, source, length, runs);
                if !is_done {
                    issued.extend(runs.iter().filter_map(|&run| {
                        issue(fabric, there, source, run, length, length <= STAGED)
                    }));
                }
            }
        }
        issued.iter().for_each(|request| fabric.wait(request));
    });
}

/// Issues the put of a run that counts from `offset` on `image`. Unless it is staged, it reads the source until it is complete.
///
/// # Safety
/// `source` is valid for reads of `length` initialised bytes at `from`, until the put is complete, and the place there has them at `to`; its owner
/// holds no reference to it.
unsafe fn issue(
    fabric: &dyn Fabric,
    (image, offset): (usize, usize),
    source: *const u8,
    run: Run,
    length: usize,
    is_staged: bool,
) -> Option<Request> {
    let from = source.wrapping_offset(run.from);
    let to = offset.wrapping_add_signed(run.to);
    // SAFETY: the caller vouches for both sides. A put only reads a lent buffer.
    unsafe {
        if is_staged {
            match length {
                WORD => fabric.put_word(image, to, from.cast::<u64>().read_unaligned()),
                _ => fabric.put(image, to, from, length),
            }
            return None;
        }
        let buffer = Buffer::Lent(from.cast_mut(), length);
        Some(fabric.issue_put(image, to, buffer))
    }
}
