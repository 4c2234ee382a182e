//! Stores to places all over memory that is mapped.
//!
//! A store leaves the processor when its line has come, and those after it wait. So the processor is asked for the lines of the next few places
//! before the first of these is written.

use std::ptr;

use coarray_fabric::direct;
use coarray_fabric::system::primitives::prefetch_to_write;

use crate::remote::Remote;

/// How many lines are on their way at the same time.
const AHEAD: usize = 32;

/// Stores each value at the address that `place` says for its index.
///
/// # Safety
/// At these addresses are places of a `T`, mapped, to which nobody holds a reference; others may access them through `direct`.
#[doc(hidden)]
#[inline]
pub unsafe fn scatter_direct<T: Remote>(
    indices: &[usize],
    values: &[T],
    place: impl Fn(usize) -> usize,
) {
    let mut places = [ptr::null_mut::<T>(); AHEAD];
    for (indices, values) in indices.chunks(AHEAD).zip(values.chunks(AHEAD)) {
        let places = &mut places[..indices.len()];
        for (to, &index) in places.iter_mut().zip(indices) {
            // The provenance was exposed when the memory was mapped.
            *to = ptr::with_exposed_provenance_mut(place(index));
            prefetch_to_write(*to);
        }
        for (&mut to, value) in places.iter_mut().zip(values) {
            // SAFETY: the caller vouches for the place. A `Remote` type has no padding.
            unsafe { direct::store(to, value) }
        }
    }
}
