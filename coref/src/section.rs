//! Every `step`-th item of a run: strided sections, columns, and iteration.
//!
//! A section is checked against the array once, when it is made. Items that lie side by side are moved as one run.

mod iter;

use std::ops::{Index, RangeBounds};

use crate::access::{Access, MayPut, ReadWrite};
use crate::bulk::extents_differ;
use crate::coref::Coref;
use crate::index::resolve;
use crate::remote::{Remote, Symmetric};
pub use iter::Iter;

/// Items of an array on an image that lie at equal distances, such as a column of a matrix.
///
/// It gets and puts like a [`Coref`] to a slice, item by item.
///
/// # Examples
/// See [`Coref::section`] and [`Coref::column`].
///
/// # Source
/// Array sections with a stride, Fortran 2018 clause 9.5.3.3.
#[derive(Debug)]
pub struct Section<'a, T: 'static, A: Access = ReadWrite> {
    /// The first item; its leading extent is not used.
    first: &'a Coref<T, A>,
    count: usize,
    /// Bytes from one item to the next.
    stride: usize,
}

impl<T, A: Access> Clone for Section<'_, T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A: Access> Copy for Section<'_, T, A> {}

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
        // SAFETY: `resolve` checked that the range lies within the slice. If it is empty, the first item may not: then the count
        // is 0, and the coref is never used.
        let first = unsafe { self.part(range.start * size_of::<T>(), 1) };
        Section {
            first,
            count: range.len().div_ceil(step),
            stride: step.saturating_mul(size_of::<T>()),
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
        let column = resolve(column..=column, M, self.image()).start;
        // SAFETY: `column < M` was checked, so the item lies in the first row. If there is no row, the count is 0, and the coref
        // is never used.
        let first = unsafe { self.part(column * size_of::<T>(), 1) };
        Section {
            first,
            count: self.len(),
            stride: size_of::<[T; M]>(),
        }
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

impl<'a, T: Symmetric, A: Access> Section<'a, T, A> {
    /// Local. How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Local. Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Local. One coref for each item.
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T, A> {
        Iter::new(*self)
    }

    /// # Safety
    /// `index` is below `self.len()`.
    #[inline]
    unsafe fn item(&self, index: usize) -> &'a Coref<T, A> {
        // SAFETY: the caller vouches that `index < count`; `count` and `stride` were computed such that all items lie within
        // the array.
        unsafe { self.first.part(index * self.stride, 1) }
    }
}

impl<'a, T: Remote, A: Access> Section<'a, T, A> {
    /// All items as one run, if they lie side by side.
    #[inline]
    fn run(&self) -> Option<&'a Coref<[T], A>> {
        // SAFETY: `count` items side by side, from the first on, lie within the array: that was checked when the section was
        // made.
        (self.stride == size_of::<T>()).then(|| unsafe { self.first.part(0, self.count) })
    }
}

impl<T: Symmetric, A: Access> Index<usize> for Section<'_, T, A> {
    type Output = Coref<T, A>;

    #[track_caller]
    fn index(&self, index: usize) -> &Coref<T, A> {
        resolve(index..=index, self.count, self.first.image());
        // SAFETY: `resolve` checked that `index < count`.
        unsafe { self.item(index) }
    }
}

impl<T: Remote, A: Access> Section<'_, T, A> {
    /// One-sided. Fetches all items into `target`.
    ///
    /// # Panics
    /// If the lengths differ, or as [`Coref::get`].
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([[1, 2, 3], [4, 5, 6]]);
    ///     let x = x.open();
    ///     let mut column = [0; 2];
    ///     for j in 0..3 {
    ///         x.at(1).column(j).get_into(&mut column);
    ///         assert_eq!(column, [j + 1, j + 4]);
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_iget`, OpenSHMEM 1.5.
    #[track_caller]
    pub fn get_into(&self, target: &mut [T]) {
        if target.len() != self.count {
            extents_differ(target.len(), self.count, self.first.image());
        }
        if let Some(run) = self.run() {
            return run.get_into(target);
        }
        for (index, value) in target.iter_mut().enumerate() {
            // SAFETY: the index is less than `target.len()`, which is the count.
            *value = unsafe { self.item(index) }.get();
        }
    }

    /// One-sided. Fetches all items into a vector.
    ///
    /// # Panics
    /// As [`Coref::get`].
    ///
    /// # Examples
    /// See [`Coref::section`].
    ///
    /// # Source
    /// `shmem_iget`, OpenSHMEM 1.5.
    #[must_use]
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        if let Some(run) = self.run() {
            return run.to_vec();
        }
        let mut items = Vec::with_capacity(self.count);
        // No closure, so that a panic names the caller's line.
        for item in self.iter() {
            items.push(item.get());
        }
        items
    }
}

impl<T: Remote, A: Access> Section<'_, T, A> {
    /// One-sided. Stores `source` in the items.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// # Examples
    /// See [`Coref::column`].
    ///
    /// # Source
    /// `shmem_iput`, OpenSHMEM 1.5.
    #[track_caller]
    pub fn put_from(&self, source: &[T])
    where
        A: MayPut,
    {
        if source.len() != self.count {
            extents_differ(source.len(), self.count, self.first.image());
        }
        if let Some(run) = self.run() {
            return run.put_from(source);
        }
        for (index, value) in source.iter().enumerate() {
            // SAFETY: the index is less than `source.len()`, which is the count.
            unsafe { self.item(index) }.put(*value);
        }
    }

    /// One-sided. Copies the items of another section of the same length, on any image.
    ///
    /// The sections may overlap only if they start at the same item with the same step.
    ///
    /// # Panics
    /// If the lengths differ, or as [`Coref::get`].
    ///
    /// # Examples
    /// Image 1 gets the columns of image 0, in the other order:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([[10 * this_image() + 1, 10 * this_image() + 2]; 3]);
    ///     {
    ///         let x = x.open();
    ///         if this_image() == 0 {
    ///             x.at(1).column(0).copy_from(&x.at(0).column(1));
    ///             x.at(1).column(1).copy_from(&x.at(0).column(0));
    ///         }
    ///     }
    ///     assert_eq!(x[2], if this_image() == 0 { [1, 2] } else { [2, 1] });
    /// });
    /// ```
    ///
    /// # Source
    /// Assignment of array sections, Fortran 2018 clause 10.2.1.3.
    #[track_caller]
    pub fn copy_from<B: Access>(&self, source: &Section<'_, T, B>)
    where
        A: MayPut,
    {
        if source.count != self.count {
            extents_differ(source.count, self.count, self.first.image());
        }
        for index in 0..self.count {
            // SAFETY: the index is less than both counts, which are equal.
            let (from, to) = unsafe { (source.item(index), self.item(index)) };
            to.put(from.get());
        }
    }

    /// One-sided. Stores `value` in every item.
    ///
    /// # Examples
    /// See [`Coref::section`].
    ///
    /// # Source
    /// As [`Coref::fill`].
    pub fn fill(&self, value: T)
    where
        A: MayPut,
    {
        self.iter().for_each(|item| item.put(value));
    }
}
