//! Regions of one dimension: strided sections, columns, and iteration.

mod iter;

use std::ops::{Index, RangeBounds};

use crate::access::{Access, ReadWrite};
use crate::coref::Coref;
use crate::index::resolve;
use crate::region::Region;
use crate::remote::Symmetric;
pub use iter::Iter;

/// Items of an array on an image that lie at equal distances, such as a column of a matrix: a [`Region`] of one dimension.
///
/// # Examples
/// See [`Coref::section`] and [`Coref::column`].
///
/// # Source
/// Array sections with a stride, Fortran 2018 clause 9.5.3.3.
pub type Section<'a, T, A = ReadWrite> = Region<'a, T, 1, A>;

impl<T: Symmetric, A: Access> Coref<[T], A> {
    /// Local. The items `range.start`, `range.start + step`, ... below `range.end`.
    ///
    /// # Panics
    /// If the range exceeds the extent, or `step` is 0.
    ///
    /// # Examples
    /// The red cells of a line, whose colours alternate:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut line = Coarray::<[f64]>::from_fn(10, |i| i as f64);
    ///     let line = line.open();
    ///     let red = line.at(1).section(1.., 2);
    ///     assert_eq!(red.to_vec(), [1.0, 3.0, 5.0, 7.0, 9.0]);
    ///     assert_eq!(red[2].get(), 5.0);
    ///     line.at(this_image()).section(.., 4).fill(0.0); // items 0, 4 and 8
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Section`].
    #[must_use]
    #[track_caller]
    pub fn section(&self, range: impl RangeBounds<usize>, step: usize) -> Section<'_, T, A> {
        assert!(step > 0, "the step of a section must be at least 1");
        let range = resolve(range, self.len(), self.image());
        let (count, stride) = (
            range.len().div_ceil(step),
            step.saturating_mul(size_of::<T>()),
        );
        // SAFETY: `resolve` checked that the range lies within the slice. If it is empty, the first item may not: then the count
        // is 0, and the coref is never used.
        unsafe {
            let first = self.part(range.start * size_of::<T>(), 1);
            Region::of_one_dimension(first, count, stride)
        }
    }

    /// Local. One coref for each item.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Ragged::from_fn(this_image(), |i| i + 1);
    ///     let x = x.open();
    ///     assert_eq!(x.at(2).iter().map(Coref::get).sum::<usize>(), 3);
    /// });
    /// ```
    #[must_use]
    pub fn iter(&self) -> Iter<'_, T, A> {
        self.section(.., 1).iter()
    }
}

impl<T: Symmetric, const N: usize, A: Access> Coref<[T; N], A> {
    /// Local. The items `range.start`, `range.start + step`, ... below `range.end`.
    ///
    /// # Panics
    /// If the range exceeds the extent, or `step` is 0.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[usize; 12]>::from_fn(|i| i);
    ///     let x = x.open();
    ///     assert_eq!(x.at(1).section(1..10, 4).to_vec(), [1, 5, 9]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Section`].
    #[must_use]
    #[track_caller]
    pub fn section(&self, range: impl RangeBounds<usize>, step: usize) -> Section<'_, T, A> {
        self[..].section(range, step)
    }

    /// Local. One coref for each item.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut rows = Coarray::new([[1, 2], [3, 4], [5, 6]]);
    ///     let rows = rows.open();
    ///     let firsts = rows.at(1).iter().map(|row| row[0].get());
    ///     assert!(firsts.eq([1, 3, 5]));
    /// });
    /// ```
    #[must_use]
    pub fn iter(&self) -> Iter<'_, T, A> {
        self[..].iter()
    }
}

impl<T: Symmetric, const M: usize, A: Access> Coref<[[T; M]], A> {
    /// Local. Item `column` of every row.
    ///
    /// # Panics
    /// If there is no such column.
    ///
    /// # Examples
    /// See the same of an array of rows: `Coref<[[T; M]; N]>`.
    ///
    /// # Source
    /// As [`Section`].
    #[must_use]
    #[track_caller]
    pub fn column(&self, column: usize) -> Section<'_, T, A> {
        // SAFETY: the rows lie one after the other, and so do the items of each.
        unsafe { Region::of_extents(self.part(0, 1), [self.len(), M]) }.column(column)
    }
}

impl<T: Symmetric, const M: usize, const N: usize, A: Access> Coref<[[T; M]; N], A> {
    /// Local. Item `column` of every row.
    ///
    /// # Panics
    /// If there is no such column.
    ///
    /// # Examples
    /// The column next to the neighbour's goes to the neighbour's halo:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut plane = Coarray::new([[this_image() as f64; 4]; 3]);
    ///     {
    ///         let last: Vec<f64> = plane.iter().map(|row| row[3]).collect();
    ///         let plane = plane.open();
    ///         plane.at(1 - this_image()).column(0).put_from(&last);
    ///     }
    ///     assert_eq!(plane[2][..2], [(1 - this_image()) as f64, this_image() as f64]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Section`].
    #[must_use]
    #[track_caller]
    pub fn column(&self, column: usize) -> Section<'_, T, A> {
        self[..].column(column)
    }
}

impl<'a, T: Symmetric, A: Access> Region<'a, T, 1, A> {
    /// Local. One coref for each item.
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T, A> {
        Iter::new(*self)
    }
}

impl<T: Symmetric, A: Access> Index<usize> for Region<'_, T, 1, A> {
    type Output = Coref<T, A>;

    #[track_caller]
    fn index(&self, index: usize) -> &Coref<T, A> {
        resolve(index..=index, self.count(), self.beside().image());
        // SAFETY: `resolve` checked that the index is below the number of items.
        unsafe { self.item(index) }
    }
}
