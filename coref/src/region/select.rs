//! What a region selects of each dimension: an index, a range, every so-manieth item of it.

use std::fmt;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::index::within;
use crate::remote::Remote;
use crate::shape::Shape;

/// What a region selects of one dimension: an index, a range, or [`every`](Self::every) so-manieth item of a range.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut x = Coarray::<[[usize; 6]; 5]>::from_fn(|i| std::array::from_fn(|j| 6 * i + j));
///     let x = x.open();
///     assert_eq!(x.at(1).region((3, 2..4)).to_vec(), [20, 21]);
///     assert_eq!(x.at(1).region(((1..).every(3), ..=1)).to_vec(), [6, 7, 24, 25]);
/// });
/// ```
///
/// # Source
/// Section subscripts, Fortran 2018 clause 9.5.3.3.
#[diagnostic::on_unimplemented(
    message = "`{Self}` selects nothing of a dimension",
    note = "an index, a range of `usize`, `..`, and `(range).every(step)` do"
)]
pub trait Selector: sealed::Sealed + fmt::Debug + Sized {
    /// First item, number of items, and distance from one to the next; none if that is not within the extent.
    #[doc(hidden)]
    fn pick(&self, extent: usize) -> Option<Pick>;

    /// Local. Every `step`-th of the selected items, from the first on.
    ///
    /// # Panics
    /// If `step` is 0.
    ///
    /// # Examples
    /// See [`Selector`].
    #[must_use]
    #[track_caller]
    fn every(self, step: usize) -> Every<Self> {
        assert!(step > 0, "the step of a region must be at least 1");
        Every { of: self, step }
    }
}

/// Every so-manieth of what another [`Selector`] selects.
///
/// # Examples
/// See [`Selector`].
///
/// # Source
/// The stride of a subscript triplet, Fortran 2018 clause 9.5.3.3.2.
#[derive(Clone, Copy)]
pub struct Every<S> {
    of: S,
    step: usize,
}

/// Items of a dimension at equal distances.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub(super) start: usize,
    pub(super) count: usize,
    pub(super) step: usize,
}

impl<S: fmt::Debug> fmt::Debug for Every<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({:?}).every({})", self.of, self.step)
    }
}

impl<S: Selector> Selector for Every<S> {
    #[inline]
    fn pick(&self, extent: usize) -> Option<Pick> {
        let all = self.of.pick(extent)?;
        Some(Pick {
            start: all.start,
            count: all.count.div_ceil(self.step),
            step: all.step.saturating_mul(self.step),
        })
    }
}

impl Selector for usize {
    #[inline]
    fn pick(&self, extent: usize) -> Option<Pick> {
        (*self < extent).then_some(Pick {
            start: *self,
            count: 1,
            step: 1,
        })
    }
}

macro_rules! ranges {
    ($($range:ty),*) => { $(
        impl Selector for $range {
            #[inline]
            fn pick(&self, extent: usize) -> Option<Pick> {
                let range = within(self, extent)?;
                Some(Pick {
                    start: range.start,
                    count: range.len(),
                    step: 1,
                })
            }
        }

        impl sealed::Sealed for $range {}
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

/// What a region selects of `D` dimensions: a tuple of [`Selector`]s, or an array of equal ones.
///
/// # Examples
/// ```
/// use coarray::places::Selection;
/// use coarray::prelude::*;
///
/// fn sum<S: Selection<2>>(x: &Coref<[[f64; 4]; 4]>, part: S) -> f64 {
///     x.region(part).to_vec().iter().sum()
/// }
///
/// coarray::run(2, || {
///     let mut x = Coarray::new([[0.5; 4]; 4]);
///     let x = x.open();
///     assert_eq!(sum(x.at(1), (1.., 3)), 1.5);
///     assert_eq!(sum(x.at(1), [1..3, 0..4]), 4.0);
/// });
/// ```
///
/// # Source
/// A section subscript list, Fortran 2018 clause 9.5.3.3.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not select parts of {D} dimensions",
    note = "a region is written as a tuple of an index, a range, or `..` for each dimension: `(2..9, .., 3)`"
)]
pub trait Selection<const D: usize>: sealed::Sealed {
    /// The items of each dimension; the number of the first dimension that has not all of them, and what was selected of it.
    ///
    /// # Errors
    /// If a selection is not within its extent.
    #[doc(hidden)]
    fn pick(&self, extents: [usize; D]) -> Result<[Pick; D], (usize, &dyn fmt::Debug)>;
}

impl<S: Selector, const D: usize> Selection<D> for [S; D] {
    #[inline]
    fn pick(&self, extents: [usize; D]) -> Result<[Pick; D], (usize, &dyn fmt::Debug)> {
        let mut picks = [Pick {
            start: 0,
            count: 0,
            step: 1,
        }; D];
        for (dimension, selector) in self.iter().enumerate() {
            let picked = selector.pick(extents[dimension]);
            picks[dimension] = picked.ok_or((dimension, selector as &dyn fmt::Debug))?;
        }
        Ok(picks)
    }
}

macro_rules! tuples {
    ($count:literal: $($selector:ident $dimension:tt),*) => {
        impl<$($selector: Selector),*> Selection<$count> for ($($selector,)*) {
            #[inline]
            fn pick(&self, extents: [usize; $count]) -> Result<[Pick; $count], (usize, &dyn fmt::Debug)> {
                Ok([$(
                    self.$dimension
                        .pick(extents[$dimension])
                        .ok_or(($dimension, &self.$dimension as &dyn fmt::Debug))?
                ),*])
            }
        }

        impl<$($selector: Selector),*> sealed::Sealed for ($($selector,)*) {}
    };
}

tuples!(1: S0 0);
tuples!(2: S0 0, S1 1);
tuples!(3: S0 0, S1 1, S2 2);
tuples!(4: S0 0, S1 1, S2 2, S3 3);
tuples!(5: S0 0, S1 1, S2 2, S3 3, S4 4);
tuples!(6: S0 0, S1 1, S2 2, S3 3, S4 4, S5 5);

/// A place of `D` dimensions: nested arrays, the outermost of which may be a slice.
///
/// # Safety
/// Implemented here for all types; not to be implemented elsewhere.
///
/// # Examples
/// A function for arrays of any size, known when the program is compiled or not:
/// ```
/// use coarray::places::{Access, Dimensions};
/// use coarray::prelude::*;
///
/// fn corner<T: ?Sized, A: Access>(x: &Coref<T, A>) -> Vec<i32>
/// where
///     T: Dimensions<2, Part = i32>,
/// {
///     x.region((..2, ..2)).to_vec()
/// }
///
/// coarray::run(2, || {
///     let mut x = Coarray::new([[1, 2, 3], [4, 5, 6]]);
///     let x = x.open();
///     assert_eq!(corner(x.at(1)), [1, 2, 4, 5]);
///     assert_eq!(corner(&x.at(1)[..]), [1, 2, 4, 5]);
/// });
/// ```
///
/// # Source
/// The rank of an array, Fortran 2018 clause 5.4.6.
#[diagnostic::on_unimplemented(
    message = "a place of type `{Self}` does not have {D} dimensions",
    label = "the region has another number of dimensions than the array",
    note = "a region names all dimensions, up to six: `(2..9, .., 3)` of a `[[[f64; 5]; 6]; 10]`"
)]
pub unsafe trait Dimensions<const D: usize>: Shape {
    /// What the innermost dimension counts.
    type Part: Remote;

    /// The extents, outermost first, of a place with this leading extent.
    #[doc(hidden)]
    fn extents(leading: usize) -> [usize; D];
}

macro_rules! dimensions {
    ($count:literal, [$($outer:ident)*], $item:ty) => {
        // SAFETY: the extents are those of the type; the items of each dimension lie one after the other.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: Remote<Element = T>, const N: usize $(, const $outer: usize)*> Dimensions<$count>
            for [$item; N]
        {
            type Part = T;

            #[inline]
            fn extents(_leading: usize) -> [usize; $count] {
                [N $(, $outer)*]
            }
        }

        // SAFETY: as above; the leading extent is that of the place.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: Remote<Element = T> $(, const $outer: usize)*> Dimensions<$count> for [$item] {
            type Part = T;

            #[inline]
            fn extents(leading: usize) -> [usize; $count] {
                [leading $(, $outer)*]
            }
        }
    };
}

dimensions!(1, [], T);
dimensions!(2, [A], [T; A]);
dimensions!(3, [A B], [[T; B]; A]);
dimensions!(4, [A B C], [[[T; C]; B]; A]);
dimensions!(5, [A B C E], [[[[T; E]; C]; B]; A]);
dimensions!(6, [A B C E F], [[[[[T; F]; E]; C]; B]; A]);

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl<S> Sealed for super::Every<S> {}
    impl<S: super::Selector, const D: usize> Sealed for [S; D] {}
}
