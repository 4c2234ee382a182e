//! Every `step`-th item of a run: strided sections, columns, and iteration.

use std::ops::{Index, RangeBounds};

use crate::access::{Access, MayPut, ReadWrite};
use crate::bulk::extents_differ;
use crate::coref::Coref;
use crate::index::resolve;
use crate::remote::{Remote, Symmetric};

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
    /// The first item; its leading extent says nothing.
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
    /// The items `range.start`, `range.start + step`, ... below `range.end`.
    ///
    /// # Panics
    /// If the range exceeds the extent, or `step` is 0.
    ///
    /// # Examples
    /// ```text
    /// x.at(2)[..].section(1..10, 4).to_vec()      // items 1, 5 and 9 on image 2
    /// ```
    #[must_use]
    #[track_caller]
    pub fn section(&self, range: impl RangeBounds<usize>, step: usize) -> Section<'_, T, A> {
        assert!(step > 0, "the step of a section must be at least 1");
        let range = resolve(range, self.len(), self.image());
        // SAFETY: an index below the extent lies within the slice; an empty section is never touched.
        let first = unsafe { self.part(range.start * size_of::<T>(), 1) };
        Section {
            first,
            count: range.len().div_ceil(step),
            stride: step.saturating_mul(size_of::<T>()),
        }
    }

    /// One coref for each item.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, T, A> {
        self.section(.., 1).iter()
    }
}

impl<T: Symmetric, const N: usize, A: Access> Coref<[T; N], A> {
    /// The items `range.start`, `range.start + step`, ... below `range.end`.
    ///
    /// # Panics
    /// If the range exceeds the extent, or `step` is 0.
    #[must_use]
    #[track_caller]
    pub fn section(&self, range: impl RangeBounds<usize>, step: usize) -> Section<'_, T, A> {
        self[..].section(range, step)
    }

    /// One coref for each item.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, T, A> {
        self[..].iter()
    }
}

impl<T: Symmetric, const M: usize, A: Access> Coref<[[T; M]], A> {
    /// Item `column` of every row.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    #[track_caller]
    pub fn column(&self, column: usize) -> Section<'_, T, A> {
        let column = resolve(column..=column, M, self.image()).start;
        // SAFETY: the item lies in the first row; if there is none it is never touched.
        let first = unsafe { self.part(column * size_of::<T>(), 1) };
        Section {
            first,
            count: self.len(),
            stride: size_of::<[T; M]>(),
        }
    }
}

impl<T: Symmetric, const M: usize, const N: usize, A: Access> Coref<[[T; M]; N], A> {
    /// Item `column` of every row.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    #[track_caller]
    pub fn column(&self, column: usize) -> Section<'_, T, A> {
        self[..].column(column)
    }
}

impl<'a, T: Symmetric, A: Access> Section<'a, T, A> {
    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One coref for each item.
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T, A> {
        Iter {
            section: *self,
            next: 0,
        }
    }

    /// # Safety
    /// `index` is below `self.len()`.
    #[inline]
    unsafe fn item(&self, index: usize) -> &'a Coref<T, A> {
        // SAFETY: the items were found to lie within the array when the section was made.
        unsafe { self.first.part(index * self.stride, 1) }
    }
}

impl<'a, T: Remote, A: Access> Section<'a, T, A> {
    /// All items as one run, if they lie side by side.
    #[inline]
    fn run(&self) -> Option<&'a Coref<[T], A>> {
        // SAFETY: the items were found to lie within the array when the section was made.
        (self.stride == size_of::<T>()).then(|| unsafe { self.first.part(0, self.count) })
    }
}

impl<T: Symmetric, A: Access> Index<usize> for Section<'_, T, A> {
    type Output = Coref<T, A>;

    #[track_caller]
    fn index(&self, index: usize) -> &Coref<T, A> {
        resolve(index..=index, self.count, self.first.image());
        // SAFETY: just checked.
        unsafe { self.item(index) }
    }
}

impl<T: Remote, A: Access> Section<'_, T, A> {
    /// One-sided. Fetches all items into `target`.
    ///
    /// # Panics
    /// If the lengths differ, or as [`Coref::get`].
    #[track_caller]
    pub fn get_into(&self, target: &mut [T]) {
        if target.len() != self.count {
            extents_differ(target.len(), self.count, self.first.image());
        }
        if let Some(run) = self.run() {
            return run.get_into(target);
        }
        for (index, value) in target.iter_mut().enumerate() {
            // SAFETY: the lengths are the same.
            *value = unsafe { self.item(index) }.get();
        }
    }

    /// One-sided. Fetches all items into a vector.
    ///
    /// # Panics
    /// As [`Coref::get`].
    #[must_use]
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        if let Some(run) = self.run() {
            return run.to_vec();
        }
        let mut items = Vec::with_capacity(self.count);
        // Not in a closure: a panic is to name the caller's line.
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
            // SAFETY: the lengths are the same.
            unsafe { self.item(index) }.put(*value);
        }
    }

    /// One-sided. Copies the items of another section of the same length, on any image.
    ///
    /// The sections may overlap only if they start at the same item with the same step.
    ///
    /// # Panics
    /// If the lengths differ, or as [`Coref::get`].
    #[track_caller]
    pub fn copy_from<B: Access>(&self, source: &Section<'_, T, B>)
    where
        A: MayPut,
    {
        if source.count != self.count {
            extents_differ(source.count, self.count, self.first.image());
        }
        for index in 0..self.count {
            // SAFETY: the lengths are the same.
            let (from, to) = unsafe { (source.item(index), self.item(index)) };
            to.put(from.get());
        }
    }

    /// One-sided. Stores `value` in every item.
    pub fn fill(&self, value: T)
    where
        A: MayPut,
    {
        self.iter().for_each(|item| item.put(value));
    }
}

/// The items of an array or [`Section`] on an image, one coref each.
#[derive(Clone, Debug)]
pub struct Iter<'a, T: 'static, A: Access = ReadWrite> {
    section: Section<'a, T, A>,
    next: usize,
}

impl<'a, T: Symmetric, A: Access> Iterator for Iter<'a, T, A> {
    type Item = &'a Coref<T, A>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        (index < self.section.count).then(|| {
            self.next += 1;
            // SAFETY: just checked.
            unsafe { self.section.item(index) }
        })
    }

    /// `sum` and its like come here. Without the `Option` of `next` their loops need not ask for every item
    /// whether its address is null.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, start: B, mut step: F) -> B {
        (self.next..self.section.count).fold(start, |folded, index| {
            // SAFETY: the index is below the number of items.
            step(folded, unsafe { self.section.item(index) })
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.section.count - self.next;
        (left, Some(left))
    }
}

impl<T: Symmetric, A: Access> ExactSizeIterator for Iter<'_, T, A> {}

impl<'a, T: Symmetric, A: Access> IntoIterator for &'a Coref<[T], A> {
    type Item = &'a Coref<T, A>;
    type IntoIter = Iter<'a, T, A>;

    fn into_iter(self) -> Iter<'a, T, A> {
        self.iter()
    }
}

impl<'a, T: Symmetric, const N: usize, A: Access> IntoIterator for &'a Coref<[T; N], A> {
    type Item = &'a Coref<T, A>;
    type IntoIter = Iter<'a, T, A>;

    fn into_iter(self) -> Iter<'a, T, A> {
        self.iter()
    }
}

impl<'a, T: Symmetric, A: Access> IntoIterator for Section<'a, T, A> {
    type Item = &'a Coref<T, A>;
    type IntoIter = Iter<'a, T, A>;

    fn into_iter(self) -> Iter<'a, T, A> {
        self.iter()
    }
}
