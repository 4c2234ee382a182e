//! The shape of a place: one value, or a run of values whose number is known at run time.

use std::ptr;

use crate::remote::{Remote, Symmetric};

/// The type of a place: `T`, or `[T]` where the leading extent is known only at run time.
///
/// # Safety
/// Implemented here for all types; not to be implemented elsewhere.
///
/// # Examples
/// A function for coarrays of any shape:
/// ```
/// use coarray::places::Shape;
/// use coarray::prelude::*;
///
/// /// What the right neighbour has, elementwise.
/// fn shift<T: Shape<Item: Remote> + ?Sized>(x: &mut Coarray<T>, part: &mut T) {
///     x.open().at((this_image() + 1) % num_images()).get_into(part);
/// }
///
/// coarray::run(3, || {
///     let (mut array, mut part) = (Coarray::new([this_image(); 4]), [0; 4]);
///     shift(&mut array, &mut part);
///     let (mut run, mut items) = (Coarray::<[usize]>::from_fn(2, |i| i), [7; 2]);
///     shift(&mut run, &mut items);
///     assert_eq!((part[3], items), ((this_image() + 1) % 3, [0, 1]));
/// });
/// ```
///
/// # Source
/// The template and its specialisations, *Coarray C++* section 3.1.
pub unsafe trait Shape {
    /// What the leading extent counts: `T` itself, or the elements of `[T]`.
    type Item: Symmetric;

    /// The fewest bytes that a place can have.
    #[doc(hidden)]
    const LEAST_BYTES: usize;

    /// A pointer to `extent` items at `address`; for a single value the extent is 1.
    #[doc(hidden)]
    fn pointer(address: *mut u8, extent: usize) -> *mut Self;

    /// The leading extent: 1 for a single value.
    #[doc(hidden)]
    fn extent(&self) -> usize;

    /// The leading extent of a place of `bytes` bytes: the number of items that fit, but 1 for a single value.
    #[doc(hidden)]
    fn extent_in(bytes: usize) -> usize;

    /// All elements, in memory order.
    #[doc(hidden)]
    fn elements(&self) -> &[<Self::Item as Remote>::Element]
    where
        Self::Item: Remote,
    {
        const { <Self::Item as Remote>::CHECK };
        let count = self.extent() * elements_in::<Self::Item>();
        // SAFETY: aligned and valid for reads of `count` elements while `self` is borrowed: the place is `extent` items, each a
        // whole number of elements, and as aligned as one, as the contract of `Remote` says.
        unsafe { std::slice::from_raw_parts(ptr::from_ref(self).cast(), count) }
    }

    /// All elements, in memory order.
    #[doc(hidden)]
    fn elements_mut(&mut self) -> &mut [<Self::Item as Remote>::Element]
    where
        Self::Item: Remote,
    {
        const { <Self::Item as Remote>::CHECK };
        let count = self.extent() * elements_in::<Self::Item>();
        // SAFETY: aligned and valid for reads and writes of `count` elements while `self` is borrowed mutably: the place is
        // `extent` items, each a whole number of elements, and as aligned as one. Any valid elements make valid items.
        unsafe { std::slice::from_raw_parts_mut(ptr::from_mut(self).cast(), count) }
    }
}

/// How many elements make up a `T`.
pub(crate) const fn elements_in<T: Remote>() -> usize {
    size_of::<T>() / size_of::<T::Element>()
}

// SAFETY: `pointer` makes a pointer to one `T`, and the extent is 1.
unsafe impl<T: Symmetric> Shape for T {
    type Item = T;

    const LEAST_BYTES: usize = size_of::<T>();

    #[inline]
    fn pointer(address: *mut u8, _extent: usize) -> *mut T {
        address.cast()
    }

    #[inline]
    fn extent(&self) -> usize {
        1
    }

    #[inline]
    fn extent_in(_bytes: usize) -> usize {
        1
    }
}

// SAFETY: `pointer` makes a pointer to `extent` items, and the extent is the length of the slice.
unsafe impl<T: Symmetric> Shape for [T] {
    type Item = T;

    const LEAST_BYTES: usize = 0;

    #[inline]
    fn pointer(address: *mut u8, extent: usize) -> *mut [T] {
        ptr::slice_from_raw_parts_mut(address.cast(), extent)
    }

    #[inline]
    fn extent(&self) -> usize {
        self.len()
    }

    #[inline]
    fn extent_in(bytes: usize) -> usize {
        const {
            assert!(
                size_of::<T>() > 0,
                "a run of values without bytes has no number of them"
            )
        }
        bytes / size_of::<T>()
    }
}

/// The leading extents of two shapes differ, as found at run time.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(1, || {
///     let y = Coarray::<[f64]>::zeroed(12);
///     let refused = y.as_bounded::<10>().unwrap_err();
///     assert_eq!(refused.to_string(), "mismatched extents: expected 10, found 12");
/// });
/// ```
///
/// # Source
/// `mismatched_extent_error`, *Coarray C++* section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MismatchedExtentError {
    /// The extent that the target shape needs.
    pub expected: usize,
    /// The extent there is.
    pub found: usize,
}

impl std::fmt::Display for MismatchedExtentError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { expected, found } = self;
        write!(
            formatter,
            "mismatched extents: expected {expected}, found {found}"
        )
    }
}

impl std::error::Error for MismatchedExtentError {}
