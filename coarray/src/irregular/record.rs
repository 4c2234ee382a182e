//! Items as the bytes that travel, and back.

use std::mem::MaybeUninit;
use std::slice;

use coarray_coref::{Remote, check_value};

/// How records of a conveyor are laid out: in two hops with the number of an image first, which is the target up to the relay and the source behind
/// it; if they have any length, with their number of values; then the values.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordLayout {
    /// Bytes of the image number: 0 or [`NUMBER`].
    pub(super) tag: usize,
    /// Bytes of a value.
    pub(super) value: usize,
    /// Whether each record has its own number of values. Otherwise it is one.
    pub(super) varies: bool,
}

/// Bytes of a number in a record.
pub(super) const NUMBER: usize = size_of::<u32>();

impl RecordLayout {
    /// The bytes of a record of so many values. Without bytes records could not be counted: there is at least one.
    #[inline]
    pub(super) fn bytes(&self, values: usize) -> usize {
        match self.varies {
            true => self.tag + NUMBER + values * self.value,
            false => self.tag + self.value.max(1),
        }
    }

    /// The bytes of the record at the front, if it is complete.
    #[inline]
    pub(super) fn front(&self, bytes: &[u8]) -> Option<usize> {
        let values = match self.varies {
            true if bytes.len() < self.bytes(0) => return None,
            true => number(&bytes[self.tag..]),
            false => 1,
        };
        let length = self.bytes(values);
        (length <= bytes.len()).then_some(length)
    }
}

/// The number at the front.
#[inline]
pub(super) fn number(bytes: &[u8]) -> usize {
    let mut number = [0; NUMBER];
    number.copy_from_slice(&bytes[..NUMBER]);
    u32::from_ne_bytes(number) as usize
}

/// Writes a number at the front.
#[inline]
pub(super) fn set_number(bytes: &mut [u8], number: usize) {
    bytes[..NUMBER].copy_from_slice(&(number as u32).to_ne_bytes());
}

/// The bytes of values.
#[inline]
pub(super) fn bytes_of<T: Remote>(values: &[T]) -> &[u8] {
    const { T::CHECK };
    // SAFETY: the slice is valid for reads of `size_of_val(values)` bytes while it is borrowed, all initialised: a `Remote` type has no padding.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The values of records of so many bytes that have nothing else: in place if they are aligned and any bytes are a value, and else in `copied`.
///
/// # Panics
/// If some bytes are no value.
#[inline]
pub(super) fn values_at<'a, T: Remote>(
    records: &'a [u8],
    length: usize,
    image: usize,
    copied: &'a mut Vec<T>,
) -> &'a [T] {
    let start = records.as_ptr().cast::<T>();
    if T::ANY_BITS && length == size_of::<T>() && start.is_aligned() {
        // SAFETY: the bytes are initialised and borrowed, as many as the records, each of which is as long as a `T`; the start is aligned. Any
        // bytes are a `T`.
        return unsafe { slice::from_raw_parts(start, records.len() / length) };
    }
    copied.clear();
    copied.extend(
        records
            .chunks_exact(length)
            .map(|record| value_at::<T>(record, image)),
    );
    copied
}

/// The value whose bytes are at the front.
///
/// # Panics
/// If there are too few bytes, or they are no value.
#[inline]
pub(super) fn value_at<T: Remote>(bytes: &[u8], image: usize) -> T {
    let bytes = &bytes[..size_of::<T>()];
    // SAFETY: the slice is valid for reads of as many bytes as a `T` has, and any are a `MaybeUninit<T>`. They need not be aligned.
    let value = unsafe { bytes.as_ptr().cast::<MaybeUninit<T>>().read_unaligned() };
    // SAFETY: all bytes are initialised, as all bytes of a slice are.
    unsafe { check_value(value, image) }
}
