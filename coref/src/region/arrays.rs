//! Arrays and views of `ndarray`, in any layout.

use ndarray::{ArrayRef, Dimension};

use crate::access::{Access, MayPut};
use crate::region::transfer::shapes_differ;
use crate::region::{Region, Strides};
use crate::remote::Remote;

impl<T: Remote, const D: usize, A: Access> Region<'_, T, D, A> {
    /// One-sided. Fetches all items into an array or view of `ndarray`, whatever its layout. It has the extents of the region,
    /// but for those of 1.
    ///
    /// # Panics
    /// If the extents differ; or as [`get_into`](Self::get_into).
    ///
    /// # Examples
    /// ```
    /// use coarray::ndarray::{Array2, s};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[[usize; 4]; 3]; 2]>::from_fn(|i| [[10 * i, 1, 2, 3]; 3]);
    ///     let x = x.open();
    ///     let mut plane = Array2::zeros((5, 4));
    ///     x.at(1).region((1, .., ..)).get_into_array(&mut plane.slice_mut(s![1..4, ..]));
    ///     assert_eq!((plane[[0, 0]], plane[[1, 0]], plane[[3, 3]]), (0, 10, 3));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`get_into`](Self::get_into).
    #[track_caller]
    pub fn get_into_array<I: Dimension>(&self, target: &mut ArrayRef<T, I>) {
        let strides = self.strides_of(target);
        // SAFETY: the array is borrowed mutably, and has the extents of the region: an item at each of its strides.
        let arrived = unsafe { self.get_to(target.as_mut_ptr(), strides) };
        if let Err(torn) = arrived {
            torn.report();
        }
    }

    /// One-sided. Stores an array or view of `ndarray` in the items, whatever its layout. It has the extents of the region, but
    /// for those of 1.
    ///
    /// # Panics
    /// If the extents differ.
    ///
    /// # Examples
    /// A transposed block:
    /// ```
    /// use coarray::ndarray::arr2;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[i32; 4]; 4]>::zeroed();
    ///     {
    ///         let x = x.open();
    ///         let block = arr2(&[[1, 2, 3], [4, 5, 6]]);
    ///         x.at(1 - this_image()).region((1.., 2..)).put_from_array(&block.t());
    ///     }
    ///     assert_eq!(x[1..], [[0, 0, 1, 4], [0, 0, 2, 5], [0, 0, 3, 6]]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`put_from`](Self::put_from).
    #[track_caller]
    pub fn put_from_array<I: Dimension>(&self, source: &ArrayRef<T, I>)
    where
        A: MayPut,
    {
        let strides = self.strides_of(source);
        // SAFETY: the source is borrowed, and has the extents of the region: an item at each of its strides.
        unsafe { self.send(source.as_ptr().cast(), strides) }
    }

    /// In bytes.
    #[track_caller]
    fn strides_of<I: Dimension>(&self, array: &ArrayRef<T, I>) -> Strides<D> {
        let size = size_of::<T>() as isize;
        let strides = array.strides().iter().map(|&stride| stride * size);
        let dimensions = array.shape().iter().copied().zip(strides);
        match self.aligned(dimensions) {
            Some(strides) => strides,
            None => shapes_differ(array.shape(), &self.extents(), self.first.image()),
        }
    }
}
