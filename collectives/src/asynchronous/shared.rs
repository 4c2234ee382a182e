//! Long reductions, of which each slice is combined once: by the first image that waits for the results.
//!
//! An image posts its values and, behind them, room for the results of one slice. Who waits takes slices that nobody has taken, its own
//! first, combines the values of all images for them, and leaves the results in that room for the others. So images share the work,
//! as in the reduction by [`ReduceScatterAllgather`](crate::Algorithm::ReduceScatterAllgather), and all results have the bits of that.
//!
//! Nobody waits for an image that computes. An image that has taken a slice is combining it, and if it does not come back in the time in
//! which this one did as much, because it has lost its core, is gone or its operator panicked, this one combines the slice for itself.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use coarray_coref::Remote;
use coarray_fabric::system::controlled;
use coarray_fabric::system::primitives::yield_now;
use coarray_runtime::Team;

use crate::asynchronous::request::{AsyncCall, Contributions, Posted, fold_up_to};
use crate::blocks::slice;
use crate::part::bytes;

/// Shorter values are combined by each image for itself, and those of fewer images: with four, what is left for the others costs as much
/// as what they save.
const LEAST_BYTES: usize = 1 << 13;
const LEAST_IMAGES: usize = 8;

/// Values are aligned to a cache line, and so is what lies behind them.
const LINE: usize = 64;

/// Nobody has taken the slice.
const FREE: u64 = 0;
/// An image combines it.
const TAKEN: u64 = 1;
/// The results are there.
const DONE: u64 = 2;

/// Whether `length` values are combined together. All images of the team give the same answer.
pub(super) fn is_shared<T>(team: &Team, length: usize) -> bool {
    length * size_of::<T>() >= LEAST_BYTES && team.images() >= LEAST_IMAGES && team.is_on_one_node()
}

/// Contributes `values`, which [`is_shared`] says are combined together.
pub(super) fn post<T: Remote>(call: AsyncCall, team: &Team, values: &[T]) -> Posted {
    let length = values.len();
    let slice = slice(length, team.images(), team.index());
    let (start, values) = (room::<T>(length), bytes(values));
    let room = vec![FREE as u8; start - values.len() + LINE + slice.len() * size_of::<T>()];
    call.post_bytes::<T>(length, &[values, &room])
}

/// Where the room begins behind `length` values: a word for its state, and a line behind it the results.
fn room<T>(length: usize) -> usize {
    (length * size_of::<T>()).next_multiple_of(LINE)
}

/// Combines the values of all images, of which each has [posted](post) as many, to `result`.
///
/// # Safety
/// Every image whose call is the same has posted `T`s by [`post`].
pub(super) unsafe fn fold_together<T: Remote>(
    contributions: &Contributions,
    result: &mut [T],
    operator: &impl Fn(T, T) -> T,
) {
    let team = contributions.team();
    let (me, images, length) = (team.index(), team.images(), result.len());
    let combine = |slice: Range<usize>, result: &mut [T]| {
        // SAFETY: the caller vouches that every image has posted so many `T`s.
        unsafe { fold_up_to(contributions, images - 1, slice, result, operator) };
    };
    let begun = controlled::now();
    let mut left = Vec::new();
    for owner in (me..images).chain(0..me) {
        let slice = slice(length, images, owner);
        // SAFETY: the caller vouches for what that image has posted.
        let room = unsafe { Room::new::<T>(contributions, owner, length) };
        let target = &mut result[slice.clone()];
        match room.take() {
            FREE => {
                combine(slice, target);
                // SAFETY: this image has taken the slice.
                unsafe { room.fill(target) };
            }
            // SAFETY: the results are there.
            DONE => unsafe { room.read(target) },
            _ => left.push((slice, room)),
        }
    }
    let patience = controlled::now() - begun;
    let begun = controlled::now();
    for (slice, room) in left {
        while !room.is_done() && controlled::now() - begun < patience {
            yield_now();
        }
        let target = &mut result[slice.clone()];
        if room.is_done() {
            // SAFETY: the results are there.
            unsafe { room.read(target) };
        } else {
            combine(slice, target);
        }
    }
}

/// The room for the results of a slice, in an image's contribution.
struct Room<'a> {
    state: &'a AtomicU64,
    results: *mut u8,
}

impl<'a> Room<'a> {
    /// # Safety
    /// Every image whose call is the same has [posted](post) `length` `T`s.
    unsafe fn new<T: Remote>(
        contributions: &'a Contributions,
        owner: usize,
        length: usize,
    ) -> Self {
        let images = contributions.team().images();
        let (start, slice) = (room::<T>(length), slice(length, images, owner));
        let end = start + LINE + slice.len() * size_of::<T>();
        let place = contributions.address(owner, start..end);
        // SAFETY: that image has posted a word of zeros there, at a multiple of a cache line, as the caller vouches. It stays while
        // the contributions are borrowed, and all access it as an atomic only. The results come behind it.
        unsafe {
            Self {
                state: &*place.cast::<AtomicU64>(),
                results: place.add(LINE),
            }
        }
    }

    /// Takes the slice, if it is free; returns how it was.
    fn take(&self) -> u64 {
        // Acquire: pairs with the Release in `fill`.
        let taken = self
            .state
            .compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Acquire);
        taken.unwrap_or_else(|state| state)
    }

    fn is_done(&self) -> bool {
        // Acquire: pairs with the Release in `fill`.
        self.state.load(Ordering::Acquire) == DONE
    }

    /// Leaves the results for the others.
    ///
    /// # Safety
    /// This image has taken the slice, and has not done this before. There are as many results as the slice has elements.
    unsafe fn fill<T: Remote>(&self, results: &[T]) {
        let bytes = bytes(results);
        // SAFETY: the room has as many bytes, as the caller vouches, and is no part of `results`. Nobody else accesses it: one image takes
        // the slice, and others read only what is done.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.results, bytes.len()) };
        // Release: pairs with the Acquire of who reads the results.
        self.state.store(DONE, Ordering::Release);
    }

    /// Gets the results.
    ///
    /// # Safety
    /// They are there: the slice was seen to be done. It has as many elements as `target`.
    unsafe fn read<T: Remote>(&self, target: &mut [T]) {
        let length = size_of_val(target);
        // SAFETY: an image has left as many `T`s there, as the caller vouches, and nobody writes them again. `target` is this image's own.
        unsafe { ptr::copy_nonoverlapping(self.results, target.as_mut_ptr().cast(), length) };
    }
}
