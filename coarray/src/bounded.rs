//! The creation of coarrays whose extents are all in their types.
//!
//! These functions are those of a trait, so that the inherent ones of the same names belong to `Coarray<[T]>` alone: in
//! `Coarray::zeroed(n)` the compiler knows that it is a slice, and infers of what.

use std::panic::Location;

use coarray_coref::{Remote, Symmetric};
use coarray_runtime::AllocError;

use crate::coarray::Coarray;
use crate::create::{Zero, create, fill, or_panic};

/// How coarrays of single values and of arrays are made; those of slices have functions of the same names, which take the number of
/// items, too.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let plane = Coarray::<[[f64; 20]; 10]>::zeroed(); // by this trait
///     let mut rows = Coarray::zeroed(10); // a `Coarray<[[f64; 20]]>`, as the next line says
///     rows[9] = plane[9];
/// });
/// ```
///
/// # Source
/// Bounded shapes, *Coarray C++* section 4.
pub trait Bounded: sealed::Coarray + Sized {
    /// What each image has.
    type Value;

    /// Collective. A coarray of zeros.
    ///
    /// Types to which zero bytes are no value, such as `NonZeroU32`, do not compile here.
    ///
    /// # Panics
    /// As [`Coarray::new`].
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut plane = Coarray::<[[f64; 512]; 512]>::zeroed(); // 2 MiB, which never were on the stack
    ///     plane[3][4] = 1.0;
    ///     assert_eq!(plane.iter().flatten().sum::<f64>(), 1.0);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coarray::new`]; OpenSHMEM 1.5 `shmem_calloc`.
    #[must_use]
    #[track_caller]
    fn zeroed() -> Self
    where
        Self::Value: Remote;

    /// Collective. As [`zeroed`](Self::zeroed), but returns the error.
    ///
    /// # Errors
    /// As [`Coarray::try_new`].
    ///
    /// # Panics
    /// As [`Coarray::try_new`].
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::AllocError;
    ///
    /// let refused = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     let refused = Coarray::<[f64; 1 << 20]>::try_zeroed().unwrap_err();
    ///     matches!(refused, AllocError::HeapExhausted { requested, .. } if requested == 8 << 20)
    /// });
    /// assert_eq!(refused.unwrap(), [true, true]); // on all images alike
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    fn try_zeroed() -> Result<Self, AllocError>
    where
        Self::Value: Remote;

    /// Collective. A coarray whose item `i` is `item(i)` on this image. Large arrays never pass through the
    /// stack.
    ///
    /// # Panics
    /// As [`Coarray::new`].
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let x = Coarray::<[usize; 4]>::from_fn(|i| 10 * this_image() + i);
    ///     assert_eq!(x[3], 10 * this_image() + 3);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coarray::new`]; [`std::array::from_fn`].
    #[must_use]
    #[track_caller]
    fn from_fn<T>(item: impl FnMut(usize) -> T) -> Self
    where
        Self::Value: Symmetric + sealed::Array<T>;
}

mod sealed {
    pub trait Coarray {}

    impl<T> Coarray for crate::Coarray<T> {}

    #[diagnostic::on_unimplemented(
        message = "`from_fn` makes the items of an array, and `{Self}` is none",
        label = "not an array",
        note = "for a single value: `Coarray::new(value)`"
    )]
    pub trait Array<T>: Sized {
        fn as_slice(array: *mut Self) -> *mut [T];
    }

    impl<T, const N: usize> Array<T> for [T; N] {
        fn as_slice(array: *mut Self) -> *mut [T] {
            array
        }
    }
}

impl<T> Bounded for Coarray<T> {
    type Value = T;

    #[track_caller]
    fn zeroed() -> Self
    where
        T: Remote,
    {
        const { Zero::<T>::IS_VALID };
        or_panic(Self::try_zeroed())
    }

    #[track_caller]
    fn try_zeroed() -> Result<Self, AllocError>
    where
        T: Remote,
    {
        const { Zero::<T>::IS_VALID };
        // SAFETY: `create` passes a place that is aligned and valid for writes of one `T`, for which zero bytes are valid.
        create::<T>(1, Location::caller(), |place| unsafe {
            place.write_bytes(0, 1)
        })
    }

    #[track_caller]
    fn from_fn<Item>(item: impl FnMut(usize) -> Item) -> Self
    where
        T: Symmetric + sealed::Array<Item>,
    {
        // SAFETY: `create` passes a place that is aligned and valid for writes of one array.
        or_panic(create::<T>(1, Location::caller(), |place| unsafe {
            fill(T::as_slice(place), item)
        }))
    }
}
