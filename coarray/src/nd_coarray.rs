//! Coarrays of arrays all of whose extents are known at run time only.

mod create;
mod guards;

use std::any::type_name;
use std::fmt;
use std::ops::{Index, IndexMut};

use coarray_coref::{MismatchedExtentError, Remote, Shape, ShapeCast, Values, ValuesMut};
use coarray_runtime::ImageFailed;
use ndarray::{ArrayView, ArrayViewMut, Dim, Dimension};

use crate::coarray::Coarray;
use crate::dimension::dimension;
use crate::phase;

pub use guards::{OpenNd, PublishedNd};

/// An array of `T`s in `D` dimensions on every image, with the same extents on all, which are known at run time only.
///
/// Locally it is an array of [`ndarray`], by [`local`](Self::local), and is indexed like one. Remotely it is a
/// [`Region`](crate::places::Region): `x.at(image)` of an open or published array gets and puts places, rows, columns and blocks of it. A
/// coarray of which only the leading extent is known at run time only is a `Coarray<[T]>`. Order is row-major.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let (rows, columns) = (4, 5); // read from a file, say
///     let mut x = NdCoarray::<f64, 2>::zeroed([rows, columns]);
///     x[[1, 2]] = this_image() as f64; // local: a plain store
///     let right = (this_image() + 1) % num_images();
///     {
///         let x = x.open();
///         assert_eq!(x.at(right)[[1, 2]].get(), right as f64);
///         x.at(right).column(4).put_from(&[7.0; 4]);
///         x.at(right).region((2.., 0..2)).fill(1.0);
///     }
///     assert_eq!(x.local().row(3).to_vec(), [1.0, 1.0, 0.0, 0.0, 7.0]);
/// });
/// ```
///
/// # Source
/// Allocatable coarrays, `allocate(x(nx, ny)[*])`, Fortran 2018 clause 9.7.1.
pub struct NdCoarray<T: Remote, const D: usize> {
    /// At least as many as the extents say, when it was made.
    items: Coarray<[T]>,
    extents: [usize; D],
}

impl<T: Remote, const D: usize> NdCoarray<T, D> {
    /// Local. How many items there are along each axis.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> [usize; D] {
        self.extents
    }

    /// Local. How many items there are on each image.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        // They were counted when it was made.
        self.extents.iter().product()
    }

    /// Local. Whether there are no items.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Local. All items of this image, in row order.
    ///
    /// # Panics
    /// As [`local`](Self::local).
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn as_slice(&self) -> &[T] {
        self.check();
        &self.items[..self.len()]
    }

    /// Local. All items of this image, in row order, to change.
    ///
    /// # Panics
    /// As [`local`](Self::local).
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.check();
        let length = self.len();
        &mut self.items[..length]
    }

    /// Local. This image's array.
    ///
    /// # Panics
    /// If the guard of an open phase was leaked; or if a smaller coarray was assigned to this one, through a mutable reference
    /// to another shape of it.
    ///
    /// # Examples
    /// See [`NdCoarray`].
    #[must_use]
    #[track_caller]
    pub fn local(&self) -> ArrayView<'_, T, Dim<[usize; D]>>
    where
        Dim<[usize; D]>: Dimension,
    {
        view(self.as_slice(), self.extents)
    }

    /// Local. This image's array, to change.
    ///
    /// # Panics
    /// As [`local`](Self::local).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = NdCoarray::<i32, 3>::zeroed([2, 3, 4]);
    ///     x.local_mut().fill(5);
    ///     assert_eq!(x.local().sum(), 5 * 24);
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn local_mut(&mut self) -> ArrayViewMut<'_, T, Dim<[usize; D]>>
    where
        Dim<[usize; D]>: Dimension,
    {
        let extents = self.extents;
        let items = self.as_mut_slice();
        ArrayViewMut::from_shape(dimension(extents), items)
            .expect("the slice has as many items as the extents say")
    }

    /// Local. The same coarray in a shape that is known at compile time, of at most as many elements.
    ///
    /// # Errors
    /// If it has fewer elements than the new shape.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// fn trace(x: &Coarray<[[f64; 4]; 4]>) -> f64 {
    ///     (0..4).map(|i| x[i][i]).sum()
    /// }
    ///
    /// coarray::run(2, || {
    ///     let x = NdCoarray::<f64, 2>::from_fn([4, 4], |[i, j]| (i * j) as f64);
    ///     assert_eq!(trace(x.shape_cast().unwrap()), 14.0);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 4.3.
    #[track_caller]
    pub fn shape_cast<To: Shape>(&self) -> Result<&Coarray<To>, MismatchedExtentError>
    where
        for<'a> [T]:
            ShapeCast<To, Wrap<&'a Coarray<To>> = Result<&'a Coarray<To>, MismatchedExtentError>>,
    {
        self.items.shape_cast::<To>()
    }

    /// Local. As [`shape_cast`](Self::shape_cast), for writing, opening and publishing.
    ///
    /// # Errors
    /// As [`shape_cast`](Self::shape_cast).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = NdCoarray::<f64, 2>::zeroed([3, 4]);
    ///     x.shape_cast_mut::<[[f64; 4]; 3]>().unwrap().open().at(1 - this_image())[2].fill(1.0);
    ///     assert_eq!(x[[2, 3]], 1.0);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`shape_cast`](Self::shape_cast).
    #[track_caller]
    pub fn shape_cast_mut<To: Shape>(&mut self) -> Result<&mut Coarray<To>, MismatchedExtentError>
    where
        for<'a> [T]: ShapeCast<
                To,
                Wrap<&'a mut Coarray<To>> = Result<&'a mut Coarray<To>, MismatchedExtentError>,
            >,
    {
        self.items.shape_cast_mut::<To>()
    }

    /// Collective. Opens the coarray to all images, as [`Coarray::open`].
    ///
    /// # Panics
    /// As [`local`](Self::local).
    ///
    /// # Examples
    /// See [`NdCoarray`].
    ///
    /// # Source
    /// As [`Open`](crate::Open).
    #[track_caller]
    pub fn open(&mut self) -> OpenNd<'_, T, D> {
        phase::open(self)
    }

    /// Collective. As [`open`](Self::open), but failed images do not end the job: see [`Coarray::try_open`].
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the coarray stays closed.
    ///
    /// # Panics
    /// As [`local`](Self::local).
    ///
    /// # Examples
    /// As of [`Coarray::try_open`].
    ///
    /// # Source
    /// As [`Coarray::try_open`].
    #[track_caller]
    pub fn try_open(&mut self) -> Result<OpenNd<'_, T, D>, ImageFailed> {
        phase::try_open(self)
    }

    /// Collective. Lets all images read all arrays, and nobody write, as [`Coarray::publish`].
    ///
    /// # Panics
    /// As [`local`](Self::local).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut table = NdCoarray::<usize, 2>::from_fn([2, 3], |[i, j]| 3 * i + j);
    ///     let table = table.publish();
    ///     let other = 1 - this_image();
    ///     assert_eq!(table.at(other)[[1, 1]].get(), table.local()[[1, 1]]);
    ///     if let Some(theirs) = table.try_ref(other) {
    ///         assert_eq!(theirs.column(2).to_vec(), [2, 5]); // in place, without a copy
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Published`](crate::Published).
    #[track_caller]
    pub fn publish(&mut self) -> PublishedNd<'_, T, D> {
        phase::publish(self)
    }

    /// Collective. As [`publish`](Self::publish), but failed images do not end the job.
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the coarray stays closed.
    ///
    /// # Panics
    /// As [`publish`](Self::publish).
    ///
    /// # Examples
    /// As of [`Coarray::try_open`].
    ///
    /// # Source
    /// As [`Coarray::try_open`].
    #[track_caller]
    pub fn try_publish(&mut self) -> Result<PublishedNd<'_, T, D>, ImageFailed> {
        phase::try_publish(self)
    }

    /// Checks that there are still as many items as the extents say.
    #[inline]
    #[track_caller]
    fn check(&self) {
        let (found, needed) = (self.items.extent(), self.len());
        assert!(
            found >= needed,
            "this coarray has {found} items, and its extents {:?} need {needed}: a smaller one was assigned to it, through a \
             mutable reference to another shape of it",
            self.extents
        );
    }

    /// The index of an item in row order.
    #[inline]
    #[track_caller]
    fn index_of(&self, index: [usize; D]) -> usize {
        let mut at = 0;
        for (&index_here, &extent) in index.iter().zip(&self.extents) {
            if index_here >= extent {
                out_of_bounds(&index, &self.extents);
            }
            at = at * extent + index_here;
        }
        at
    }
}

/// A slice with as many items as an array with these extents, as that array.
fn view<T, const D: usize>(items: &[T], extents: [usize; D]) -> ArrayView<'_, T, Dim<[usize; D]>>
where
    Dim<[usize; D]>: Dimension,
{
    ArrayView::from_shape(dimension(extents), items)
        .expect("the slice has as many items as the extents say")
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds(index: &[usize], extents: &[usize]) -> ! {
    panic!("index {index:?} is out of bounds of an array with extents {extents:?}")
}

impl<T: Remote, const D: usize> Index<[usize; D]> for NdCoarray<T, D> {
    type Output = T;

    /// # Panics
    /// If the index is out of bounds; and as [`local`](Self::local).
    #[inline]
    #[track_caller]
    fn index(&self, index: [usize; D]) -> &T {
        &self.as_slice()[self.index_of(index)]
    }
}

impl<T: Remote, const D: usize> IndexMut<[usize; D]> for NdCoarray<T, D> {
    /// # Panics
    /// As [`index`](Self::index).
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: [usize; D]) -> &mut T {
        let at = self.index_of(index);
        &mut self.as_mut_slice()[at]
    }
}

impl<T: Remote, const D: usize> Values for NdCoarray<T, D> {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        Shape::elements(self.as_slice())
    }
}

impl<T: Remote, const D: usize> ValuesMut for NdCoarray<T, D> {
    fn elements_mut(&mut self) -> &mut [T::Element] {
        Shape::elements_mut(self.as_mut_slice())
    }
}

impl<T: Remote, const D: usize> fmt::Debug for NdCoarray<T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("NdCoarray")
            .field("items", &type_name::<T>())
            .field("extents", &self.extents)
            .finish()
    }
}
