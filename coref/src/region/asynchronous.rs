//! Gets, puts, copies and fills of regions that go on while the image computes.

use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

use coarray_fabric::Buffer;

use crate::access::{Access, MayPut};
use crate::cofuture::Cofuture;
use crate::region::Region;
use crate::region::issued::{AllIssued, issue_get_of_block, issue_put_of_block};
use crate::remote::Remote;
use crate::scope::{AsyncScope, Delivery};
use crate::shape::elements_in;

impl<'a, T: Remote, const D: usize, A: Access> Region<'a, T, D, A> {
    /// One-sided. Begins to fetch all items into `target`, in row order. The target is borrowed until the scope ends;
    /// [`wait`](Cofuture::wait) gives it back earlier.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[usize; 4]; 4]>::from_fn(|i| [4 * i + 3; 4]);
    ///     let x = x.open();
    ///     let mut edge = [0; 4];
    ///     async_scope(|scope| {
    ///         let fetched = x.at(1).region((.., 3)).get_into_async(&mut edge, scope);
    ///         // ... the inner cells meanwhile ...
    ///         assert_eq!(fetched.wait(), [3, 7, 11, 15]);
    ///     });
    /// });
    /// ```
    ///
    /// # Source
    /// `get_cofuture(&y)`, *Coarray C++* section 7.
    #[track_caller]
    pub fn get_into_async<'scope>(
        &self,
        target: &'scope mut [T],
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, &'scope mut [T]> {
        const { T::CHECK };
        self.check_length(target.len());
        if self.first.is_direct() {
            // SAFETY: the target is borrowed mutably, and has as many items as the region.
            let arrived = unsafe { self.get_to(target.as_mut_ptr(), self.packed()) };
            return Cofuture::complete(scope.note(arrived).map(|()| target));
        }
        let target = ptr::from_mut(target);
        // SAFETY: `target` comes from a reference that is borrowed for `'scope`, and only these operations use it until then. This
        // is called when they are complete, and have left valid items only.
        let give_back = move || Ok(unsafe { &mut *target });
        if T::ANY_BITS {
            // SAFETY: the target is borrowed until the end of the scope, which completes the operations.
            let issued = unsafe { self.issue_gets(target.cast()) };
            return match issued {
                Some(all) => all.cofuture(give_back),
                None => Cofuture::complete(give_back()),
            };
        }
        let count = self.len() * elements_in::<T>();
        let staged = scope.stage(target.cast::<T::Element>(), count, self.first.image());
        // SAFETY: the staging memory has room for all items. The scope keeps it until their delivery, which comes after the
        // completion of the operations.
        let issued = unsafe { self.issue_gets(staged.start()) };
        match issued {
            Some(all) => all.cofuture(move || {
                scope.note(staged.deliver())?;
                give_back()
            }),
            None => Cofuture::complete(give_back()),
        }
    }

    /// # Safety
    /// `target` is valid for writes of all items until the operations are complete, and nobody else accesses it.
    #[track_caller]
    unsafe fn issue_gets(&self, target: *mut u8) -> Option<AllIssued> {
        // SAFETY: the caller vouches for the target, and the items lie within the place.
        unsafe { issue_get_of_block(self.first, target, self.runs_to(self.packed())) }
    }
}

impl<'a, T: Remote, const D: usize, A: Access> Region<'a, T, D, A> {
    /// One-sided. Begins to store `source` in the items, in row order. The source is borrowed until the scope ends.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[u8; 3]; 3]>::zeroed();
    ///     {
    ///         let (x, diagonal) = (x.open(), [1, 2, 3]);
    ///         async_scope(|scope| {
    ///             let there = x.at(1 - this_image()).region((.., this_image()));
    ///             drop(there.put_from_async(&diagonal, scope)); // the scope waits for it
    ///         });
    ///     }
    ///     assert_eq!(x.map(|row| row[1 - this_image()]), [1, 2, 3]);
    /// });
    /// ```
    ///
    /// # Source
    /// `put_cofuture(&y)`, *Coarray C++* section 7.
    #[track_caller]
    pub fn put_from_async<'scope>(
        &self,
        source: &'scope [T],
        _scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, ()>
    where
        A: MayPut,
    {
        self.check_length(source.len());
        if self.first.is_direct() {
            self.put_from(source);
            return Cofuture::complete(Ok(()));
        }
        // SAFETY: the source has as many items as the region, and is borrowed until the end of the scope, which completes the
        // operations.
        AllIssued::cofuture_of_puts(unsafe { self.issue_puts(source.as_ptr()) })
    }

    /// Begins to put items that lie in row order.
    ///
    /// # Safety
    /// `source` is valid for reads of all items until the operations are complete.
    #[track_caller]
    pub(crate) unsafe fn issue_puts(&self, source: *const T) -> Option<AllIssued>
    where
        A: MayPut,
    {
        const { T::CHECK };
        let source = Buffer::Lent(source.cast_mut().cast(), self.len() * size_of::<T>());
        // SAFETY: the caller vouches for the source, and the items lie within the place. A put only reads its buffer, so the cast to `*mut`
        // is never written through.
        unsafe { issue_put_of_block(self.first, source, self.runs_from(self.packed())) }
    }

    /// One-sided. Begins to copy the items of another region, on any image, which are fetched before this returns. It has the
    /// same extents, but for those of 1.
    ///
    /// # Panics
    /// If the extents differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([[7 + this_image(), 9, 0]; 2]);
    ///     {
    ///         let x = x.open();
    ///         let (here, there) = (x.here(), x.at(1 - this_image()));
    ///         let copied = there.region((.., 2)).copy_from_async(&here.region((0, ..2)));
    ///         // ... compute something ...
    ///         copied.wait();
    ///     }
    ///     assert_eq!(x.map(|row| row[2]), [8 - this_image(), 9]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`copy_from`](Self::copy_from) and [`put_async`](crate::Coref::put_async).
    #[track_caller]
    pub fn copy_from_async<const E: usize, B: Access>(
        &self,
        source: &Region<'_, T, E, B>,
    ) -> Cofuture<'a, ()>
    where
        A: MayPut,
    {
        const { T::CHECK };
        self.strides_of_region(source);
        if self.first.is_direct() {
            self.copy_from(source);
            return Cofuture::complete(Ok(()));
        }
        let mut items = Vec::<MaybeUninit<T>>::with_capacity(source.len());
        // SAFETY: the vector is valid for writes of all items, and afterwards for reads: there are equally many in both regions.
        unsafe {
            source.fetch(items.as_mut_ptr().cast(), source.packed());
            self.issue_put_of_items(items.as_ptr().cast())
        }
    }

    /// Begins to put a copy of items that lie in row order.
    ///
    /// # Safety
    /// `items` is valid for reads of all items.
    #[track_caller]
    unsafe fn issue_put_of_items(&self, items: *const T) -> Cofuture<'a, ()>
    where
        A: MayPut,
    {
        let length = self.len() * size_of::<T>();
        // SAFETY: the caller vouches for the items, which have no padding: a `Remote` type has none.
        let bytes: &[u8] = unsafe { slice::from_raw_parts(items.cast(), length) };
        let source = Buffer::Owned(bytes.into());
        // SAFETY: the operations own their buffers, in which the runs are; the items lie within the place.
        let issued =
            unsafe { issue_put_of_block(self.first, source, self.runs_from(self.packed())) };
        AllIssued::cofuture_of_puts(issued)
    }

    /// One-sided. Begins to store `value` in every item.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[u8; 3]; 3]>::zeroed();
    ///     {
    ///         let x = x.open();
    ///         drop(x.at(1 - this_image()).region((1, 1..)).fill_async(4)); // complete when the phase ends
    ///     }
    ///     assert_eq!(x[1], [0, 4, 4]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`fill`](Self::fill) and [`put_async`](crate::Coref::put_async).
    #[track_caller]
    pub fn fill_async(&self, value: T) -> Cofuture<'a, ()>
    where
        A: MayPut,
    {
        if self.first.is_direct() || size_of::<T>() == 0 {
            self.fill(value);
            return Cofuture::complete(Ok(()));
        }
        const { T::CHECK };
        let values = vec![value; self.len()];
        // SAFETY: these are as many items as the region has.
        unsafe { self.issue_put_of_items(values.as_ptr()) }
    }
}
