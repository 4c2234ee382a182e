//! Casts of a place to another shape of the same elements.

use crate::access::Access;
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::{MismatchedExtentError, Shape};

/// A place of type `Self` can be cast to a `To`: the innermost elements are of the same type.
///
/// Where both shapes are known, a new shape that does not fit is a compile error. Where the old one is known at run
/// time only, it is a [`MismatchedExtentError`] that counts elements. A new shape `[T]` takes as many whole
/// rows as fit.
///
/// # Safety
/// Implemented here for all types; not to be implemented elsewhere.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut x = Coarray::<[u8; 10]>::from_fn(|i| i as u8);
///     let x = x.open();
///     // Known on both sides: the place itself.
///     assert_eq!(x.at(1).shape_cast::<[[u8; 3]; 2]>()[1][0].get(), 3);
///     // As many whole rows as fit:
///     assert_eq!(x.at(1).shape_cast::<[[u8; 3]]>().len(), 3);
///     // From an extent that is known at run time only: a result.
///     assert!(x.at(1)[..5].shape_cast::<[[u8; 3]; 2]>().is_err());
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 4.3.
pub unsafe trait ShapeCast<To: ?Sized + Shape>: Shape {
    /// The result of the cast: `Result<P, MismatchedExtentError>` where it can fail, else `P`.
    type Wrap<P>;

    /// Fails to compile where both shapes are known and the new one does not fit. Public functions evaluate it themselves, so
    /// that the compiler points to their call.
    #[doc(hidden)]
    const FITS: () = ();

    /// Calls `make` with the leading extent of the new shape over a place of `extent` items.
    #[doc(hidden)]
    fn cast<P>(extent: usize, make: impl FnOnce(usize) -> P) -> Self::Wrap<P>;
}

// SAFETY: `FITS` refuses a `To` that is larger, and types with the same elements have the same valid bytes and alignment.
unsafe impl<From: Remote, To: Remote<Element = From::Element>> ShapeCast<To> for From {
    type Wrap<P> = P;

    const FITS: () = assert!(
        size_of::<To>() <= size_of::<From>(),
        "shape_cast: the new shape has more elements than the old one"
    );

    fn cast<P>(_extent: usize, make: impl FnOnce(usize) -> P) -> P {
        make(1)
    }
}

// SAFETY: only whole rows that lie within the old place are counted, and types with the same elements have the same valid bytes
// and alignment.
unsafe impl<From: Remote, To: Remote<Element = From::Element>> ShapeCast<[To]> for From {
    type Wrap<P> = P;

    fn cast<P>(_extent: usize, make: impl FnOnce(usize) -> P) -> P {
        make(rows::<To>(size_of::<From>()))
    }
}

// SAFETY: a `To` that is larger than the old place is refused, and types with the same elements have the same valid bytes and
// alignment.
unsafe impl<From: Remote, To: Remote<Element = From::Element>> ShapeCast<To> for [From] {
    type Wrap<P> = Result<P, MismatchedExtentError>;

    fn cast<P>(extent: usize, make: impl FnOnce(usize) -> P) -> Self::Wrap<P> {
        let element = size_of::<From::Element>();
        let (found, expected) = (
            extent * size_of::<From>() / element,
            size_of::<To>() / element,
        );
        if expected > found {
            return Err(MismatchedExtentError { expected, found });
        }
        Ok(make(1))
    }
}

// SAFETY: only whole rows that lie within the old place are counted, and types with the same elements have the same valid bytes
// and alignment.
unsafe impl<From: Remote, To: Remote<Element = From::Element>> ShapeCast<[To]> for [From] {
    type Wrap<P> = P;

    fn cast<P>(extent: usize, make: impl FnOnce(usize) -> P) -> P {
        make(rows::<To>(extent * size_of::<From>()))
    }
}

fn rows<Row>(bytes: usize) -> usize {
    const {
        assert!(
            size_of::<Row>() > 0,
            "shape_cast: a row without elements fits any number of times"
        )
    }
    bytes / size_of::<Row>()
}

impl<T: ?Sized + Shape, A: Access> Coref<T, A> {
    /// Local. The same elements in another shape, of at most as many elements.
    ///
    /// # Errors
    /// Where this shape is known at run time only: if it has fewer elements than the new one.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[i32; 200]>::from_fn(|i| i as i32);
    ///     let x = x.open();
    ///     let rows = x.at(1).shape_cast::<[[i32; 20]; 10]>();
    ///     assert_eq!(rows[9][19].get(), 199);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 4.3.
    pub fn shape_cast<To: ?Sized + Shape>(&self) -> <T as ShapeCast<To>>::Wrap<&Coref<To, A>>
    where
        T: ShapeCast<To>,
    {
        const { T::FITS };
        // SAFETY: the contract of `ShapeCast`: `extent` items of the new shape lie in this place, aligned and valid.
        T::cast(self.leading_extent(), |extent| unsafe {
            self.part(0, extent)
        })
    }
}

impl<'a, T: Remote, const N: usize, A: Access> From<&'a Coref<[T; N], A>> for &'a Coref<[T], A> {
    fn from(bounded: &'a Coref<[T; N], A>) -> Self {
        &bounded[..]
    }
}

impl<'a, T: Remote, const N: usize, A: Access> TryFrom<&'a Coref<[T], A>> for &'a Coref<[T; N], A> {
    type Error = MismatchedExtentError;

    fn try_from(unbounded: &'a Coref<[T], A>) -> Result<Self, MismatchedExtentError> {
        if unbounded.len() != N {
            return Err(MismatchedExtentError {
                expected: N,
                found: unbounded.len(),
            });
        }
        // SAFETY: the place has `N` items, as was just checked: it is an array of them.
        Ok(unsafe { unbounded.part(0, 1) })
    }
}
