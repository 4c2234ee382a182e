//! Indexing of corefs: `x[1][2]`, `x[1][3..7]`, with checked bounds.

use std::ops::{
    Bound, Index, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo,
    RangeToInclusive,
};

use crate::access::Access;
use crate::coref::Coref;
use crate::remote::Symmetric;

impl<T: Symmetric, const N: usize, A: Access> Index<usize> for Coref<[T; N], A> {
    type Output = Coref<T, A>;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &Coref<T, A> {
        if index >= N {
            out_of_bounds(index, N, self.image());
        }
        // SAFETY: `index < N` was checked, so the item lies within the array, which is a run of valid `T`s.
        unsafe { self.item(index) }
    }
}

impl<T: Symmetric, A: Access> Index<usize> for Coref<[T], A> {
    type Output = Coref<T, A>;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &Coref<T, A> {
        if index >= self.len() {
            out_of_bounds(index, self.len(), self.image());
        }
        // SAFETY: the index was checked, so the item lies within the slice, which is a run of valid `T`s.
        unsafe { self.item(index) }
    }
}

macro_rules! ranges {
    ($($range:ty),*) => { $(
        impl<T: Symmetric, const N: usize, A: Access> Index<$range> for Coref<[T; N], A> {
            type Output = Coref<[T], A>;

            #[inline]
            #[track_caller]
            fn index(&self, range: $range) -> &Coref<[T], A> {
                let range = resolve(range, N, self.image());
                // SAFETY: `resolve` checked that the range lies within the array, which is a run of valid `T`s.
                unsafe { self.part(range.start * size_of::<T>(), range.len()) }
            }
        }

        impl<T: Symmetric, A: Access> Index<$range> for Coref<[T], A> {
            type Output = Coref<[T], A>;

            #[inline]
            #[track_caller]
            fn index(&self, range: $range) -> &Coref<[T], A> {
                let range = resolve(range, self.len(), self.image());
                // SAFETY: `resolve` checked that the range lies within the slice, which is a run of valid `T`s.
                unsafe { self.part(range.start * size_of::<T>(), range.len()) }
            }
        }
    )* };
}

ranges!(
    Range<usize>,
    RangeFrom<usize>,
    RangeTo<usize>,
    RangeFull,
    RangeInclusive<usize>,
    RangeToInclusive<usize>
);

impl<T: Symmetric, A: Access> Coref<[T], A> {
    /// Local. How many items there are: the leading extent.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Ragged::from_fn(10 * this_image(), |i| i);
    ///     let x = x.open();
    ///     assert_eq!((x.at(1).len(), x.at(1)[2..5].len()), (10, 3));
    ///     assert!(x.at(0).is_empty());
    /// });
    /// ```
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.leading_extent()
    }

    /// Local. Whether the leading extent is 0.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// `range` as a start and an end within an extent.
#[inline]
#[track_caller]
pub(crate) fn resolve(range: impl RangeBounds<usize>, extent: usize, image: usize) -> Range<usize> {
    match within(&range, extent) {
        Some(range) => range,
        None => range_out_of_bounds(
            range.start_bound().cloned(),
            range.end_bound().cloned(),
            extent,
            image,
        ),
    }
}

/// `range` as a start and an end, if it lies within an extent.
#[inline]
pub(crate) fn within(range: &impl RangeBounds<usize>, extent: usize) -> Option<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.checked_add(1)?,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1)?,
        Bound::Excluded(&end) => end,
        Bound::Unbounded => extent,
    };
    (start <= end && end <= extent).then_some(start..end)
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds(index: usize, extent: usize, image: usize) -> ! {
    panic!("index {index} is out of bounds of a coref with extent {extent} on image {image}")
}

#[cold]
#[inline(never)]
#[track_caller]
fn range_out_of_bounds(start: Bound<usize>, end: Bound<usize>, extent: usize, image: usize) -> ! {
    let start = match start {
        Bound::Included(start) => start.to_string(),
        Bound::Excluded(before) => format!("{before}+1"),
        Bound::Unbounded => String::new(),
    };
    let end = match end {
        Bound::Included(last) => format!("={last}"),
        Bound::Excluded(end) => end.to_string(),
        Bound::Unbounded => String::new(),
    };
    panic!("range {start}..{end} is out of bounds of a coref with extent {extent} on image {image}")
}
