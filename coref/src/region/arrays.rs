//! Arrays and views of `ndarray`, in any layout.

use std::ptr;

use coarray_fabric::Buffer;
use ndarray::{ArrayRef, Dimension};

use crate::access::{Access, MayPut};
use crate::cofuture::Cofuture;
use crate::region::issued::{AllIssued, issue_get_of_block, issue_put_of_block};
use crate::region::transfer::shapes_differ;
use crate::region::{Region, Strides};
use crate::remote::Remote;
use crate::scope::AsyncScope;

impl<'a, T: Remote, const D: usize, A: Access> Region<'a, T, D, A> {
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

    /// One-sided. Begins to fetch all items into an array or view of `ndarray`, whatever its layout, which is borrowed until the scope ends;
    /// [`wait`](Cofuture::wait) gives it back earlier. It has the extents of the region, but for those of 1. Items of which not all bytes are values,
    /// such as `bool`, are fetched before this returns.
    ///
    /// # Panics
    /// If the extents differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::ndarray::Array2;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[[usize; 4]; 3]; 2]>::from_fn(|i| [[10 * i, 1, 2, 3]; 3]);
    ///     let x = x.open();
    ///     let mut plane = Array2::zeros((3, 4));
    ///     async_scope(|scope| {
    ///         let fetched = x.at(1).region((1, .., ..)).get_into_array_async(&mut plane, scope);
    ///         // ... compute something ...
    ///         assert_eq!(fetched.wait()[[2, 0]], 10);
    ///     });
    /// });
    /// ```
    ///
    /// # Source
    /// As [`get_into_async`](Self::get_into_async).
    #[track_caller]
    pub fn get_into_array_async<'scope, I: Dimension>(
        &self,
        target: &'scope mut ArrayRef<T, I>,
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, &'scope mut ArrayRef<T, I>> {
        const { T::CHECK };
        let strides = self.strides_of(target);
        if self.first.is_direct() || !T::ANY_BITS {
            // SAFETY: as in `get_into_array`.
            let arrived = unsafe { self.get_to(target.as_mut_ptr(), strides) };
            return Cofuture::complete(scope.note(arrived).map(|()| target));
        }
        let start = target.as_mut_ptr().cast();
        let target = ptr::from_mut(target);
        // SAFETY: the array is borrowed until the end of the scope, which completes the operations, and has an item at each of the strides; any bytes
        // are a valid `T`. The items of the region lie within the place.
        let issued = unsafe { issue_get_of_block(self.first, start, self.runs_to(strides)) };
        // SAFETY: `target` comes from a reference that is borrowed for `'scope`, and only these operations use the array until then. This is called
        // when they are complete.
        let give_back = move || Ok(unsafe { &mut *target });
        match issued {
            Some(all) => all.cofuture(give_back),
            None => Cofuture::complete(give_back()),
        }
    }

    /// One-sided. Begins to store an array or view of `ndarray` in the items, whatever its layout, which is borrowed until the scope ends. It has the
    /// extents of the region, but for those of 1.
    ///
    /// # Panics
    /// If the extents differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::ndarray::arr2;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[i32; 4]; 4]>::zeroed();
    ///     {
    ///         let (x, block) = (x.open(), arr2(&[[1, 2, 3], [4, 5, 6]]));
    ///         async_scope(|scope| {
    ///             drop(x.at(1 - this_image()).region((2.., 1..)).put_from_array_async(&block, scope));
    ///         });
    ///     }
    ///     assert_eq!(x[2..], [[0, 1, 2, 3], [0, 4, 5, 6]]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`put_from_async`](Self::put_from_async).
    #[track_caller]
    pub fn put_from_array_async<'scope, I: Dimension>(
        &self,
        source: &'scope ArrayRef<T, I>,
        _scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, ()>
    where
        A: MayPut,
    {
        const { T::CHECK };
        let strides = self.strides_of(source);
        if self.first.is_direct() {
            self.put_from_array(source);
            return Cofuture::complete(Ok(()));
        }
        let start = source.as_ptr().cast_mut().cast();
        let buffer = Buffer::Lent(start, self.len() * size_of::<T>());
        // SAFETY: the array is borrowed until the end of the scope, which completes the operations, and has an item at each of the strides. A put only
        // reads its buffer, so that the cast is never written through. The items of the region lie within the place.
        let issued = unsafe { issue_put_of_block(self.first, buffer, self.runs_from(strides)) };
        AllIssued::cofuture_of_puts(issued)
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
