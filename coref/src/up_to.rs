//! The copointers from one up to another.

use std::fmt;
use std::iter::FusedIterator;

use crate::access::{Access, ReadWrite};
use crate::coptr::Coptr;
use crate::coptr_arithmetic::no_distance;

/// Iterator over the copointers to the values from one up to another, which is not among them; made by [`Coptr::up_to`].
///
/// # Examples
/// See [`Coptr::up_to`].
///
/// # Source
/// Copointers as iterators, *Coarray C++* section 3.5.
#[derive(Clone)]
pub struct UpTo<T, A: Access = ReadWrite> {
    next: Coptr<T, A>,
    left: usize,
}

impl<T, A: Access> Coptr<T, A> {
    /// Local. The copointers from this one up to `end`, which is not among them; none if it does not lie behind.
    ///
    /// # Panics
    /// If they are on different images, only one is null, or the distance is no whole number of values.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[usize; 8]>::from_fn(|i| 10 * i);
    ///     let x = x.open();
    ///     let begin = x.at(1 - this_image())[0].address();
    ///     let places = begin.up_to(begin + 8);
    ///     assert_eq!(places.len(), 8);
    ///     // SAFETY: `x` is open, and the places lie in it.
    ///     let values = places.rev().step_by(3).map(|place| unsafe { place.as_coref() }.unwrap().get());
    ///     assert!(values.eq([70, 40, 10]));
    /// });
    /// ```
    ///
    /// # Source
    /// Copointers as iterators, *Coarray C++* section 3.5.
    #[must_use]
    #[track_caller]
    pub fn up_to(self, end: Self) -> UpTo<T, A> {
        let count = match end.offset_from(self) {
            Some(count) => usize::try_from(count).unwrap_or(0),
            None if self == end => 0,
            None => no_distance(end.bits, self.bits, size_of::<T>()),
        };
        UpTo {
            next: self,
            left: count,
        }
    }
}

impl<T, A: Access> Iterator for UpTo<T, A> {
    type Item = Coptr<T, A>;

    #[inline]
    fn next(&mut self) -> Option<Coptr<T, A>> {
        self.nth(0)
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<Coptr<T, A>> {
        let skipped = skipped.min(self.left);
        let place = self.next + skipped as isize;
        self.left -= skipped;
        self.left = self.left.checked_sub(1)?;
        self.next = place + 1;
        Some(place)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T, A: Access> DoubleEndedIterator for UpTo<T, A> {
    #[inline]
    fn next_back(&mut self) -> Option<Coptr<T, A>> {
        self.nth_back(0)
    }

    #[inline]
    fn nth_back(&mut self, skipped: usize) -> Option<Coptr<T, A>> {
        self.left = self.left.saturating_sub(skipped);
        self.left = self.left.checked_sub(1)?;
        Some(self.next + self.left as isize)
    }
}

impl<T, A: Access> ExactSizeIterator for UpTo<T, A> {}

impl<T, A: Access> FusedIterator for UpTo<T, A> {}

impl<T, A: Access> fmt::Debug for UpTo<T, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("UpTo")
            .field("next", &self.next)
            .field("left", &self.left)
            .finish()
    }
}
