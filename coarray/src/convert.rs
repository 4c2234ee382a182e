//! Bounded and unbounded shapes, and `shape_cast`: a reference to the same coarray in another shape.
//!
//! A coarray is transparent over its storage, which knows its size in bytes, so its extent follows from the shape.

use coarray_coref::{MismatchedExtentError, Remote, Shape, ShapeCast};

use crate::coarray::Coarray;

impl<T: ?Sized + Shape> Coarray<T> {
    /// Local. The same coarray in a shape of at most as many elements of the same type.
    ///
    /// Where both shapes are known at compile time, a new shape that does not fit is a compile error. A cast of a
    /// cast sees the whole coarray again.
    ///
    /// # Errors
    /// Where this shape is known at run time only: if it has fewer elements than the new one.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// fn foo(x: &Coarray<[[i32; 20]; 10]>) -> i32 {
    ///     x[9][19]
    /// }
    ///
    /// coarray::run(1, || {
    ///     let y = Coarray::<[i32; 200]>::from_fn(|i| i as i32);
    ///     assert_eq!(foo(y.shape_cast::<[[i32; 20]; 10]>()), 199);
    ///     let z = Coarray::<[i32]>::zeroed(50);
    ///     assert!(z.shape_cast::<[[i32; 20]; 10]>().is_err());
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 4.3.
    pub fn shape_cast<To: ?Sized + Shape>(&self) -> <T as ShapeCast<To>>::Wrap<&Coarray<To>>
    where
        T: ShapeCast<To>,
    {
        const { T::FITS };
        // SAFETY: the contract of `ShapeCast`: the storage's bytes are at least one valid `To`, of whole elements.
        T::cast(self.extent(), |_| unsafe { self.reshaped() })
    }

    /// Local. As [`shape_cast`](Self::shape_cast), for writing, opening and publishing.
    ///
    /// # Errors
    /// As [`shape_cast`](Self::shape_cast).
    ///
    /// # Examples
    /// A plane that is written as a line, and opened as rows:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut line = Coarray::<[f64; 12]>::zeroed();
    ///     {
    ///         let plane = line.shape_cast_mut::<[[f64; 4]; 3]>().open();
    ///         plane.at(1 - this_image()).column(0).fill(1.0);
    ///     }
    ///     assert_eq!(line[..5], [1.0, 0.0, 0.0, 0.0, 1.0]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`shape_cast`](Self::shape_cast).
    pub fn shape_cast_mut<To: ?Sized + Shape>(
        &mut self,
    ) -> <T as ShapeCast<To>>::Wrap<&mut Coarray<To>>
    where
        T: ShapeCast<To>,
    {
        const { T::FITS };
        // SAFETY: the contract of `ShapeCast`: the storage's bytes are at least one valid `To`, of whole elements.
        T::cast(self.extent(), |_| unsafe { self.reshaped_mut() })
    }

    /// # Safety
    /// The storage holds at least a valid `To`, and whole elements of its items.
    unsafe fn reshaped<To: ?Sized>(&self) -> &Coarray<To> {
        // SAFETY: `Coarray<_>` is transparent over `Storage` for every shape, so both types have the same layout; the caller
        // vouches that the storage holds a `To`.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// # Safety
    /// As [`reshaped`](Self::reshaped).
    unsafe fn reshaped_mut<To: ?Sized>(&mut self) -> &mut Coarray<To> {
        // SAFETY: `Coarray<_>` is transparent over `Storage` for every shape, so both types have the same layout; the caller
        // vouches that the storage holds a `To`.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }
}

impl<'a, T: Remote, const N: usize> From<&'a Coarray<[T; N]>> for &'a Coarray<[T]> {
    fn from(bounded: &'a Coarray<[T; N]>) -> Self {
        // SAFETY: a valid array of `N` items is a valid slice of them.
        unsafe { bounded.reshaped() }
    }
}

impl<'a, T: Remote, const N: usize> From<&'a mut Coarray<[T; N]>> for &'a mut Coarray<[T]> {
    fn from(bounded: &'a mut Coarray<[T; N]>) -> Self {
        // SAFETY: a valid array of `N` items is a valid slice of them.
        unsafe { bounded.reshaped_mut() }
    }
}

impl<'a, T: Remote, const N: usize> TryFrom<&'a Coarray<[T]>> for &'a Coarray<[T; N]> {
    type Error = MismatchedExtentError;

    fn try_from(unbounded: &'a Coarray<[T]>) -> Result<Self, MismatchedExtentError> {
        check_extent(N, unbounded.extent())?;
        // SAFETY: the slice has `N` valid items, as was just checked: they are a valid array.
        Ok(unsafe { unbounded.reshaped() })
    }
}

impl<'a, T: Remote, const N: usize> TryFrom<&'a mut Coarray<[T]>> for &'a mut Coarray<[T; N]> {
    type Error = MismatchedExtentError;

    fn try_from(unbounded: &'a mut Coarray<[T]>) -> Result<Self, MismatchedExtentError> {
        check_extent(N, unbounded.extent())?;
        // SAFETY: the slice has `N` valid items, as was just checked: they are a valid array.
        Ok(unsafe { unbounded.reshaped_mut() })
    }
}

fn check_extent(expected: usize, found: usize) -> Result<(), MismatchedExtentError> {
    if expected == found {
        Ok(())
    } else {
        Err(MismatchedExtentError { expected, found })
    }
}

impl<T: Remote, const N: usize> Coarray<[T; N]> {
    /// Local. The same coarray with its leading extent known at run time only, for functions that take any.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// fn rows(matrix: &Coarray<[[f64; 20]]>) -> usize {
    ///     matrix.len()
    /// }
    ///
    /// coarray::run(2, || {
    ///     let matrix = Coarray::<[[f64; 20]; 10]>::zeroed();
    ///     assert_eq!(rows(matrix.as_unbounded()), 10);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 4.1.
    #[must_use]
    pub fn as_unbounded(&self) -> &Coarray<[T]> {
        self.into()
    }
}

impl<T: Remote> Coarray<[T]> {
    /// Local. The same coarray with its leading extent in its type.
    ///
    /// # Errors
    /// If the extent is not `N`.
    ///
    /// # Examples
    /// ```
    /// use coarray::places::MismatchedExtentError;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let y = Coarray::<[[i32; 20]]>::zeroed(12);
    ///     let refused = y.as_bounded::<10>().unwrap_err();
    ///     assert_eq!(refused, MismatchedExtentError { expected: 10, found: 12 });
    ///     assert_eq!(y.as_bounded::<12>().unwrap().len(), 12);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 4.2.
    pub fn as_bounded<const N: usize>(&self) -> Result<&Coarray<[T; N]>, MismatchedExtentError> {
        self.try_into()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Bounded, Coarray};

    #[test]
    fn a_cast_reaches_no_further_than_its_shape() {
        crate::run(1, || {
            let mut whole = Coarray::<[i32; 200]>::zeroed();
            let row = whole.shape_cast_mut::<[i32; 20]>();
            {
                let row = row.open();
                row.at(0).put_from(&[1; 20]);
                row.at(0).fill(row.at(0)[19].get() + 1);
            }
            assert_eq!(whole[..20], [2; 20]);
            assert_eq!(whole[20..], [0; 180]);
        });
    }
}
