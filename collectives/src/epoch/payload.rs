//! Payloads: values that travel with an image's arrival in a barrier.

use std::ptr;

use coarray_coref::Remote;
use coarray_runtime::{PAYLOAD_BYTES, PAYLOAD_BYTES_WITH_ROOT};

/// The words of a payload, which travels with an image's arrival in a barrier; of a call with a root, and of all others.
pub(super) const WORDS_WITH_ROOT: usize = PAYLOAD_BYTES_WITH_ROOT / size_of::<u64>();
pub(super) const PAYLOAD_WORDS: usize = PAYLOAD_BYTES / size_of::<u64>();

/// Writes `values` to a payload, from place `start` on.
///
/// # Panics
/// If they do not fit there.
#[inline]
pub(super) fn pack<T: Remote>(payload: &mut [u64; PAYLOAD_WORDS], start: usize, values: &[T]) {
    assert!(fits_payload::<T>(start + values.len()));
    // SAFETY: `values` is valid for reads, and the payload for writes of as many values from `start` on: they end within it and need no greater
    // alignment than `u64`, as was just asserted. They have no padding, and `u64` takes any bytes.
    unsafe {
        let target = payload.as_mut_ptr().cast::<T>().add(start);
        ptr::copy_nonoverlapping(values.as_ptr(), target, values.len());
    }
}

/// Whether `length` elements fit the payload of a barrier, of a call without a root.
#[inline]
pub(crate) const fn fits_payload<T>(length: usize) -> bool {
    align_of::<T>() <= align_of::<u64>() && length <= PAYLOAD_BYTES / size_of::<T>()
}

/// As [`fits_payload`], of a call with a root.
#[inline]
pub(crate) const fn fits_payload_with_root<T>(length: usize) -> bool {
    fits_payload::<T>(length) && length <= PAYLOAD_BYTES_WITH_ROOT / size_of::<T>()
}

/// How many words so many elements take.
pub(super) const fn words<T>(length: usize) -> usize {
    (length * size_of::<T>()).div_ceil(size_of::<u64>())
}
