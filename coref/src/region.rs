//! Blocks of arrays of any number of dimensions, with steps: what a region is, and its items.
//!
//! A region is checked against the array once, when it is made. What lies side by side is moved as one run (`region/runs.rs`).

mod arrays;
mod asynchronous;
pub(crate) mod fetch;
pub(crate) mod issued;
pub(crate) mod runs;
mod select;
pub(crate) mod send;
mod transfer;
mod within;

use std::fmt;

use crate::access::{Access, MayPut, ReadOnly, ReadWrite};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::Shape;
use runs::{Axis, Runs};
pub use select::{Dimensions, Every, Selection, Selector};
pub use within::items;

/// A block of an array on an image, in `D` dimensions, or items of it at equal distances.
///
/// It gets and puts as a [`Coref`] does: to and from slices, which have its items in row order, arrays of `ndarray`, and other
/// regions. Copies compare the extents, but for those of 1: a row fits a column.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut x = Coarray::<[[[f64; 5]; 6]; 10]>::zeroed();
///     {
///         let x = x.open();
///         let there = x.at(1 - this_image());
///         let block = there.region((2..9, .., 3..4));
///         assert_eq!(block.extents(), [7, 6, 1]);
///         block.put_from(&[1.5; 42]);
///         there.region((0, .., 0)).copy_from(&there.region((4, .., 3)));
///         assert_eq!(there.region((..3, 5, 3)).to_vec(), [0.0, 0.0, 1.5]);
///     }
///     assert_eq!((x[8][5][3], x[9][5][3], x[0][2][0]), (1.5, 0.0, 1.5));
/// });
/// ```
///
/// # Source
/// Array sections, Fortran 2018 clause 9.5.3.3; `MPI_Type_create_subarray`, MPI 3.1 section 4.1.3.
pub struct Region<'a, T: 'static, const D: usize, A: Access = ReadWrite> {
    /// The first item; its leading extent is not used.
    first: &'a Coref<T, A>,
    /// The outermost first.
    dimensions: [Dimension; D],
}

/// Items at equal distances.
#[derive(Clone, Copy, Debug)]
struct Dimension {
    count: usize,
    /// Bytes from one item to the next.
    stride: usize,
}

impl<T, const D: usize, A: Access> Clone for Region<'_, T, D, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize, A: Access> Copy for Region<'_, T, D, A> {}

impl<T, const D: usize, A: Access> fmt::Debug for Region<'_, T, D, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Region")
            .field("first", &self.first)
            .field("extents", &self.dimensions.map(|dimension| dimension.count))
            .finish()
    }
}

impl<T: ?Sized + Shape, A: Access> Coref<T, A> {
    /// Local. A block of this array: for each dimension an index, a range, or [`every`](Selector::every) so-manieth item of a
    /// range. An array of fewer or more dimensions than are named does not compile.
    ///
    /// # Panics
    /// If a range exceeds its extent: the message names the dimension, from 0 on.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut plane = Coarray::<[[i32; 4]]>::from_fn(3, |row| [row as i32; 4]);
    ///     {
    ///         let plane = plane.open();
    ///         let there = plane.at(1 - this_image());
    ///         assert_eq!(there.region((1.., (..).every(3))).to_vec(), [1, 1, 2, 2]);
    ///         there.region((..2, 1..3)).fill(9);
    ///     }
    ///     assert_eq!(plane[..], [[0, 9, 9, 0], [1, 9, 9, 1], [2; 4]]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Region`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn region<const D: usize>(&self, selection: impl Selection<D>) -> Region<'_, T::Part, D, A>
    where
        T: Dimensions<D>,
    {
        // SAFETY: the items of a place of these extents lie in row order.
        let whole =
            unsafe { Region::of_extents(self.part(0, 1), T::extents(self.leading_extent())) };
        whole.region(selection)
    }
}

impl<'a, T, const D: usize, A: Access> Region<'a, T, D, A> {
    /// # Safety
    /// All items that `dimensions` count lie in the place that `first` is a part of, if there are any.
    unsafe fn new(first: &'a Coref<T, A>, dimensions: [Dimension; D]) -> Self {
        Self { first, dimensions }
    }

    /// All items of an array with these extents.
    ///
    /// # Safety
    /// From `first` on lie so many items in row order, in one place, and [`items`] counts them.
    #[inline]
    pub(crate) unsafe fn of_extents(first: &'a Coref<T, A>, extents: [usize; D]) -> Self {
        let mut dimensions = extents.map(|count| Dimension { count, stride: 0 });
        let mut stride = size_of::<T>();
        for dimension in dimensions.iter_mut().rev() {
            dimension.stride = stride;
            stride *= dimension.count;
        }
        // SAFETY: the caller vouches for the items.
        unsafe { Self::new(first, dimensions) }
    }

    /// Local. How many items there are in each dimension; 1 where an index was given.
    ///
    /// # Examples
    /// See [`Region`].
    #[must_use]
    pub fn extents(&self) -> [usize; D] {
        self.dimensions.map(|dimension| dimension.count)
    }

    /// Local. How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        let counts = self.dimensions.iter().map(|dimension| dimension.count);
        counts.fold(1, usize::saturating_mul)
    }

    /// Local. Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A coref on the same image.
    #[doc(hidden)]
    #[must_use]
    pub fn beside(&self) -> &'a Coref<T, A> {
        self.first
    }
}

impl<'a, T: Remote, const D: usize, A: MayPut> Region<'a, T, D, A> {
    /// Local. The same items, but whoever is given this can only get.
    ///
    /// # Examples
    /// ```
    /// use coarray::places::{ReadOnly, Section};
    /// use coarray::prelude::*;
    ///
    /// fn trace(diagonal: Section<f64, ReadOnly>) -> f64 {
    ///     diagonal.to_vec().iter().sum()
    /// }
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[f64; 9]>::from_fn(|i| i as f64);
    ///     let x = x.open();
    ///     assert_eq!(trace(x.at(1).section(.., 4).read_only()), 12.0);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coref::read_only`].
    #[inline]
    #[must_use]
    pub fn read_only(&self) -> Region<'a, T, D, ReadOnly> {
        // SAFETY: the items lie in the place that `first` is a part of, and this is the same place.
        unsafe { Region::new(self.first.read_only(), self.dimensions) }
    }
}

impl<'a, T, A: Access> Region<'a, T, 1, A> {
    /// `count` items, `stride` bytes from each other.
    ///
    /// # Safety
    /// They lie in the place that `first` is a part of, if there are any.
    #[inline]
    pub(crate) unsafe fn of_one_dimension(
        first: &'a Coref<T, A>,
        count: usize,
        stride: usize,
    ) -> Self {
        // SAFETY: the caller vouches for the items.
        unsafe { Self::new(first, [Dimension { count, stride }]) }
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.dimensions[0].count
    }

    /// # Safety
    /// `index` is below the number of items.
    #[inline]
    pub(crate) unsafe fn item(&self, index: usize) -> &'a Coref<T, A> {
        // SAFETY: the caller vouches that there is such an item; all lie within the array.
        unsafe { self.first.part(index * self.dimensions[0].stride, 1) }
    }
}

/// Bytes between the items of the other side of a copy, dimension by dimension.
type Strides<const D: usize> = [isize; D];

impl<T: Remote, const D: usize, A: Access> Region<'_, T, D, A> {
    /// Of items one after the other, in row order.
    #[inline]
    fn packed(&self) -> Strides<D> {
        let mut strides = [0; D];
        let mut stride = size_of::<T>() as isize;
        for (dimension, packed) in self.dimensions.iter().zip(&mut strides).rev() {
            *packed = stride;
            stride *= dimension.count as isize;
        }
        strides
    }

    /// Of the region itself.
    #[inline]
    fn strides(&self) -> Strides<D> {
        self.dimensions.map(|dimension| dimension.stride as isize)
    }

    /// Of a place with these extents and strides, which has the same extents but for those of 1; none if it has not.
    fn aligned(&self, other: impl Iterator<Item = (usize, isize)>) -> Option<Strides<D>> {
        let mut other = other.filter(|&(count, _)| count != 1);
        let mut strides = [0; D];
        for (dimension, aligned) in self.dimensions.iter().zip(&mut strides) {
            if dimension.count != 1 {
                let (count, stride) = other.next()?;
                if count != dimension.count {
                    return None;
                }
                *aligned = stride;
            }
        }
        other.next().is_none().then_some(strides)
    }

    /// The runs of a copy from a place with these strides to this one.
    #[inline]
    fn runs_from(&self, strides: Strides<D>) -> Runs<D> {
        runs(self, self.strides(), strides)
    }

    /// The runs of a copy from this region to a place with these strides.
    #[inline]
    fn runs_to(&self, strides: Strides<D>) -> Runs<D> {
        runs(self, strides, self.strides())
    }
}

#[inline]
fn runs<T, const D: usize, A: Access>(
    region: &Region<'_, T, D, A>,
    to: Strides<D>,
    from: Strides<D>,
) -> Runs<D> {
    let mut axes = [Axis {
        count: 0,
        to: 0,
        from: 0,
    }; D];
    for (dimension, axis) in axes.iter_mut().enumerate() {
        *axis = Axis {
            count: region.dimensions[dimension].count,
            to: to[dimension],
            from: from[dimension],
        };
    }
    Runs::new(size_of::<T>(), axes)
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds(dimension: usize, selector: &dyn fmt::Debug, extent: usize, image: usize) -> ! {
    panic!(
        "{selector:?} is out of bounds of dimension {dimension} of an array on image {image}, which has extent {extent}"
    )
}
