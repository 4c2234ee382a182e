//! What lies within a region: an item, a block, a row, a column; and runs of items that are seen as arrays.

use std::ops::Index;

use crate::access::Access;
use crate::coref::Coref;
use crate::region::select::Selection;
use crate::region::{Dimension, Region, out_of_bounds};
use crate::remote::Symmetric;
use crate::shape::MismatchedExtentError;

impl<T: Symmetric, A: Access> Coref<[T], A> {
    /// Local. The first of these items as an array with extents that are known at run time only, in row order.
    ///
    /// # Errors
    /// If there are fewer items than that.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let rows = this_image(); // another number on each image
    ///     let mut planes = Ragged::from_fn(4 * rows, |i| i);
    ///     let planes = planes.open();
    ///     let plane = planes.at(2).with_extents([2, 4]).unwrap();
    ///     assert_eq!(plane[[1, 3]].get(), 7);
    ///     assert_eq!(plane.column(1).to_vec(), [1, 5]);
    ///     assert!(planes.at(1).with_extents([2, 4]).is_err());
    /// });
    /// ```
    ///
    /// # Source
    /// `shape_cast`, *Coarray C++* section 4.3; sequence association, Fortran 2018 clause 15.5.2.11.
    pub fn with_extents<const D: usize>(
        &self,
        extents: [usize; D],
    ) -> Result<Region<'_, T, D, A>, MismatchedExtentError> {
        let expected = items::<T, D>(extents).unwrap_or(usize::MAX);
        if expected > self.len() {
            return Err(MismatchedExtentError {
                expected,
                found: self.len(),
            });
        }
        // SAFETY: the place has as many items, and they can be counted, as was just checked.
        Ok(unsafe { self.with_extents_unchecked(extents) })
    }

    /// Local. As [`with_extents`](Self::with_extents), without a check.
    ///
    /// # Safety
    /// [`items`] counts the items of such an array, and the place has as many.
    #[inline]
    #[must_use]
    pub unsafe fn with_extents_unchecked<const D: usize>(
        &self,
        extents: [usize; D],
    ) -> Region<'_, T, D, A> {
        // SAFETY: the caller vouches for the items.
        unsafe { Region::of_extents(self.part(0, 1), extents) }
    }
}

/// How many items an array with these extents has; none if they, or the bytes of its rows, cannot be counted.
#[doc(hidden)]
#[must_use]
pub fn items<T, const D: usize>(extents: [usize; D]) -> Option<usize> {
    let mut rows = extents.iter().map(|&extent| extent.max(1));
    let bytes = rows.try_fold(size_of::<T>(), usize::checked_mul)?;
    isize::try_from(bytes).ok()?;
    Some(extents.iter().product())
}

impl<'a, T: 'static, const D: usize, A: Access> Region<'a, T, D, A> {
    /// Local. A block of this region, as [`Coref::region`] of an array.
    ///
    /// # Panics
    /// As [`Coref::region`].
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = NdCoarray::<i32, 2>::zeroed([4, 6]);
    ///     {
    ///         let x = x.open();
    ///         let inner = x.at(1 - this_image()).region((1..3, 1..5));
    ///         inner.region((.., (..).every(2))).fill(7);
    ///     }
    ///     assert_eq!(x.local().row(2).to_vec(), [0, 7, 0, 7, 0, 0]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Region`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn region(&self, selection: impl Selection<D>) -> Self {
        let picks = match selection.pick(self.extents()) {
            Ok(picks) => picks,
            Err((dimension, selector)) => {
                let extent = self.dimensions[dimension].count;
                out_of_bounds(dimension, selector, extent, self.first.image())
            }
        };
        let mut dimensions = self.dimensions;
        let mut start = 0;
        for (dimension, pick) in dimensions.iter_mut().zip(picks) {
            start += pick.start * dimension.stride;
            *dimension = Dimension {
                count: pick.count,
                stride: pick.step.saturating_mul(dimension.stride),
            };
        }
        // SAFETY: each selection was found to lie within its extent.
        unsafe { self.part(start, dimensions) }
    }

    /// A part of the region, `start` bytes from its first item.
    ///
    /// # Safety
    /// All items that `dimensions` count are the region's, if there are any.
    #[inline]
    unsafe fn part<const E: usize>(
        &self,
        start: usize,
        dimensions: [Dimension; E],
    ) -> Region<'a, T, E, A> {
        // Where there are no items, nothing may lie at `start`.
        let is_empty = dimensions.iter().any(|dimension| dimension.count == 0);
        let start = if is_empty { 0 } else { start };
        // SAFETY: the caller vouches for the items.
        unsafe { Region::new(self.first.part(start, 1), dimensions) }
    }

    /// Local. The items as one run, if they lie side by side in row order.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = NdCoarray::<f64, 2>::zeroed([6, 4]);
    ///     let x = x.open();
    ///     let rows = x.at(1).region((2..4, ..)).as_coref().unwrap();
    ///     assert_eq!(rows.shape_cast::<[[f64; 4]; 2]>().unwrap()[1][3].get(), 0.0);
    ///     assert!(x.at(1).region((.., 1..3)).as_coref().is_none());
    /// });
    /// ```
    ///
    /// # Source
    /// `IS_CONTIGUOUS`, Fortran 2018 clause 16.9.105.
    #[must_use]
    pub fn as_coref(&self) -> Option<&'a Coref<[T], A>> {
        let mut stride = size_of::<T>();
        for dimension in self.dimensions.iter().rev() {
            if dimension.count > 1 && dimension.stride != stride && !self.is_empty() {
                return None;
            }
            stride *= dimension.count;
        }
        // SAFETY: the items are the region's; if there are any, each lies behind the one before.
        Some(unsafe { self.first.part(0, self.len()) })
    }
}

impl<'a, T: 'static, A: Access> Region<'a, T, 2, A> {
    /// Local. The items of one row.
    ///
    /// # Panics
    /// If there is no such row.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = NdCoarray::<usize, 2>::from_fn([3, 4], |[i, j]| 10 * i + j);
    ///     let x = x.open();
    ///     assert_eq!(x.at(1).row(2).to_vec(), [20, 21, 22, 23]);
    ///     assert_eq!(x.at(1).column(3).to_vec(), [3, 13, 23]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Region`].
    #[must_use]
    #[track_caller]
    pub fn row(&self, row: usize) -> Region<'a, T, 1, A> {
        self.line(0, row)
    }

    /// Local. The items of one column.
    ///
    /// # Panics
    /// If there is no such column.
    ///
    /// # Examples
    /// See [`row`](Self::row).
    ///
    /// # Source
    /// As [`Region`].
    #[must_use]
    #[track_caller]
    pub fn column(&self, column: usize) -> Region<'a, T, 1, A> {
        self.line(1, column)
    }

    /// The items with this index in `dimension`.
    #[track_caller]
    fn line(&self, dimension: usize, index: usize) -> Region<'a, T, 1, A> {
        let Dimension { count, stride } = self.dimensions[dimension];
        if index >= count {
            out_of_bounds(dimension, &index, count, self.first.image());
        }
        // SAFETY: the index was checked, so these are items of the region.
        unsafe { self.part(index * stride, [self.dimensions[1 - dimension]]) }
    }
}

impl<T: Symmetric, const D: usize, A: Access> Index<[usize; D]> for Region<'_, T, D, A> {
    type Output = Coref<T, A>;

    #[inline]
    #[track_caller]
    fn index(&self, index: [usize; D]) -> &Coref<T, A> {
        let mut start = 0;
        for (number, (at, dimension)) in index.iter().zip(&self.dimensions).enumerate() {
            if *at >= dimension.count {
                out_of_bounds(number, at, dimension.count, self.first.image());
            }
            start += at * dimension.stride;
        }
        // SAFETY: each index was checked, so there is such an item.
        unsafe { self.first.part(start, 1) }
    }
}
