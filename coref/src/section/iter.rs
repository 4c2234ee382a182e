//! Iteration over the items of a run or a section.

use crate::access::{Access, ReadWrite};
use crate::coref::Coref;
use crate::region::Region;
use crate::remote::Symmetric;

/// The items of an array or [`Section`](crate::Section) on an image, one coref each.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut x = Coarray::new([3, 1, 4, 1, 5]);
///     let x = x.open();
///     let largest = x.at(1).iter().max_by_key(|item| item.get()).unwrap();
///     assert_eq!(largest.get(), 5);
///     for item in &x.at(0)[1..3] {
///         assert!(item.get() < 5);
///     }
/// });
/// ```
///
/// # Source
/// [`std::slice::Iter`].
#[derive(Clone, Debug)]
pub struct Iter<'a, T: 'static, A: Access = ReadWrite> {
    section: Region<'a, T, 1, A>,
    next: usize,
}

impl<'a, T, A: Access> Iter<'a, T, A> {
    #[inline]
    pub(crate) fn new(section: Region<'a, T, 1, A>) -> Self {
        Self { section, next: 0 }
    }
}

impl<'a, T: Symmetric, A: Access> Iterator for Iter<'a, T, A> {
    type Item = &'a Coref<T, A>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        (index < self.section.count()).then(|| {
            self.next += 1;
            // SAFETY: `index < count` was just checked.
            unsafe { self.section.item(index) }
        })
    }

    /// `sum` and the like use this. Without the `Option` of `next`, their loops do not compare every address with null.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, start: B, mut step: F) -> B {
        (self.next..self.section.count()).fold(start, |folded, index| {
            // SAFETY: the range of the index ends at `count`.
            step(folded, unsafe { self.section.item(index) })
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.section.count() - self.next;
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

impl<'a, T: Symmetric, A: Access> IntoIterator for Region<'a, T, 1, A> {
    type Item = &'a Coref<T, A>;
    type IntoIter = Iter<'a, T, A>;

    fn into_iter(self) -> Iter<'a, T, A> {
        self.iter()
    }
}
