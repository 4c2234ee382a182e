//! A value and its place, which travel together.

use std::mem::MaybeUninit;

use coarray_coref::{Locked, Remote, Symmetric, Values, ValuesMut};
use coarray_runtime::Operation;

/// A value and the place that came with it. Packed, because what travels has no padding.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct Located<T, P> {
    value: T,
    place: P,
}

// SAFETY: two values without drop glue, pointer or handle, since both are `Symmetric`.
unsafe impl<T: Remote, P: Remote> Symmetric for Located<T, P> {}

// SAFETY: a packed struct has no padding, and neither have its fields; it is valid if both are, and is its own one element.
unsafe impl<T: Remote, P: Remote> Remote for Located<T, P> {
    type Element = Self;
    type Cell = Locked<Self>;
    const CHECK: () = {
        let () = T::CHECK;
        P::CHECK
    };
    const ANY_BITS: bool = T::ANY_BITS && P::ANY_BITS;
    const ZERO_IS_VALID: bool = T::ZERO_IS_VALID && P::ZERO_IS_VALID;

    unsafe fn is_valid(value: *const Self) -> bool {
        // SAFETY: the caller vouches that `value` is valid for reads of initialised bytes. A `MaybeUninit` of whatever bytes is
        // valid, and these reads need no alignment.
        let (found, place) = unsafe {
            (
                (&raw const (*value).value)
                    .cast::<MaybeUninit<T>>()
                    .read_unaligned(),
                (&raw const (*value).place)
                    .cast::<MaybeUninit<P>>()
                    .read_unaligned(),
            )
        };
        // SAFETY: both copies are aligned and valid for reads, and their bytes are initialised: they were read from such.
        unsafe { T::is_valid(found.as_ptr()) && P::is_valid(place.as_ptr()) }
    }
}

impl<T: Remote, P: Remote> Located<T, P> {
    /// The first, if its value is the better one, or the second.
    #[inline]
    pub(crate) fn choose(first: Self, second: Self, is_better: impl Fn(&T, &T) -> bool) -> Self {
        // Copies, because the fields may be misaligned.
        let (one, other) = (first.value, second.value);
        if is_better(&one, &other) {
            first
        } else {
            second
        }
    }
}

/// Each value with its place.
///
/// # Panics
/// If there are not as many places as values.
#[track_caller]
pub(crate) fn located<V: ?Sized + Values, P: ?Sized + Values>(
    operation: Operation,
    values: &V,
    places: &P,
) -> Vec<Located<V::Element, P::Element>> {
    let (values, places) = (values.elements(), places.elements());
    assert!(
        values.len() == places.len(),
        "{} of {} values with {} places: each value needs one place",
        operation.name(),
        values.len(),
        places.len()
    );
    let pairs = values.iter().zip(places);
    pairs
        .map(|(&value, &place)| Located { value, place })
        .collect()
}

/// Leaves the values and places of `all` where they belong.
pub(crate) fn separate<V: ?Sized + ValuesMut, P: ?Sized + ValuesMut>(
    all: &[Located<V::Element, P::Element>],
    values: &mut V,
    places: &mut P,
) {
    let slots = values.elements_mut().iter_mut().zip(places.elements_mut());
    for (located, (value, place)) in all.iter().zip(slots) {
        (*value, *place) = (located.value, located.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_valid_if_both_of_its_parts_are() {
        let is_valid = |bytes: [u8; 5]| {
            // SAFETY: as many initialised bytes as the pair has, and a packed struct needs no alignment.
            unsafe { Located::<bool, char>::is_valid(bytes.as_ptr().cast()) }
        };
        assert!(is_valid([1, b'x', 0, 0, 0]));
        assert!(!is_valid([2, b'x', 0, 0, 0]));
        assert!(!is_valid([1, 0, 0xd8, 0, 0])); // half of a pair of UTF-16
        let pair = Located {
            value: 3_u8,
            place: 7_u64,
        };
        assert_eq!(size_of_val(&pair), 9);
        let best = Located::choose(pair, Located { value: 2, ..pair }, |one, other| {
            one <= other
        });
        assert_eq!({ best.value }, 2);
    }
}
