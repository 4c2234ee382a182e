//! Gets, puts, copies and fills of regions.

use std::mem::MaybeUninit;
use std::panic::Location;

use coarray_fabric::attribute_to;

use crate::access::{Access, MayPut};
use crate::bulk::extents_differ;
use crate::region::fetch::fetch_block;
use crate::region::runs::Run;
use crate::region::send::{copy_runs, send_block, send_runs};
use crate::region::{Region, Strides};
use crate::remote::Remote;
use crate::shape::elements_in;
use crate::transfer::{Torn, checked};

/// The most bytes that `fill` puts at a time.
const FILLED_AT_ONCE: usize = 16 << 10;

impl<T: Remote, const D: usize, A: Access> Region<'_, T, D, A> {
    /// One-sided. Fetches all items into `target`, in row order.
    ///
    /// # Panics
    /// If the lengths differ; or if bytes are no valid values, which can happen only if images wrote to the region at the same
    /// time.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([[1, 2, 3], [4, 5, 6]]);
    ///     let x = x.open();
    ///     let mut column = [0; 2];
    ///     for j in 0..3 {
    ///         x.at(1).column(j).get_into(&mut column);
    ///         assert_eq!(column, [j + 1, j + 4]);
    ///     }
    ///     let mut block = [0; 4];
    ///     x.at(1).region((.., 1..)).get_into(&mut block);
    ///     assert_eq!(block, [2, 3, 5, 6]);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_iget`, OpenSHMEM 1.5; Fortran 2018 references to coindexed array sections, clause 9.6.
    #[inline]
    #[track_caller]
    pub fn get_into(&self, target: &mut [T]) {
        self.check_length(target.len());
        // SAFETY: the target is borrowed mutably, and has as many items as the region.
        let arrived = unsafe { self.get_to(target.as_mut_ptr(), self.packed()) };
        if let Err(torn) = arrived {
            torn.report();
        }
    }

    /// One-sided. Fetches all items into a vector, in row order.
    ///
    /// # Panics
    /// As [`get_into`](Self::get_into).
    ///
    /// # Examples
    /// See [`Region`] and [`Coref::section`](crate::Coref::section).
    ///
    /// # Source
    /// As [`get_into`](Self::get_into).
    #[must_use]
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        let mut items = Vec::<T>::with_capacity(self.len());
        // SAFETY: the vector has room for as many items as the region has.
        let arrived = unsafe { self.get_to(items.as_mut_ptr(), self.packed()) };
        if let Err(torn) = arrived {
            torn.report();
        }
        // SAFETY: `len` items fit the capacity, and `get_to` has written all of them.
        unsafe { items.set_len(self.len()) };
        items
    }

    /// Fetches all items to a place with these strides, which need not be initialised.
    ///
    /// # Errors
    /// If an item is not valid. Then nothing is written.
    ///
    /// # Safety
    /// `target` is aligned and valid for writes of the items, where the strides say, and nobody else accesses it.
    #[track_caller]
    pub(super) unsafe fn get_to(&self, target: *mut T, strides: Strides<D>) -> Result<(), Torn> {
        const { T::CHECK };
        if T::ANY_BITS {
            // SAFETY: the caller vouches for the target; any bytes are a valid `T`.
            unsafe { self.fetch(target.cast(), strides) };
            return Ok(());
        }
        let mut items = Vec::<MaybeUninit<T>>::with_capacity(self.len());
        // SAFETY: the vector has room for as many items as the region has.
        unsafe { self.fetch(items.as_mut_ptr().cast(), self.packed()) };
        let elements = items.as_ptr().cast::<MaybeUninit<T::Element>>();
        for index in 0..self.len() * elements_in::<T>() {
            // SAFETY: all bytes of the items are initialised now, and they are whole numbers of elements, as aligned as one.
            unsafe { checked(*elements.add(index), self.first.image())? };
        }
        let runs = super::runs(self, strides, self.packed());
        let length = runs.length();
        // SAFETY: the items are initialised and valid; the caller vouches for the target.
        unsafe { copy_runs::<T>(target.cast(), items.as_ptr().cast(), runs, length) };
        Ok(())
    }

    /// Copies the bytes of all items to a place with these strides.
    ///
    /// # Safety
    /// As [`get_to`](Self::get_to), for any bytes.
    #[track_caller]
    pub(super) unsafe fn fetch(&self, target: *mut u8, strides: Strides<D>) {
        // SAFETY: the caller vouches for the target. The items lie within one place, as was checked when the region was made. If
        // it is direct it is mapped; nobody holds an exclusive reference to it, as the contract of `Coref::new` says, and others
        // access it through `direct`, too.
        unsafe {
            if self.first.is_direct() {
                // Made in each branch: what the cold one takes would be stored before both.
                let runs = self.runs_to(strides);
                let length = runs.length();
                copy_runs::<T>(target, self.first.pointer(), runs, length);
            } else {
                fetch_block(self.first, target, self.runs_to(strides));
            }
        }
    }

    #[inline]
    #[track_caller]
    pub(crate) fn check_length(&self, length: usize) {
        if length != self.len() {
            extents_differ(length, self.len(), self.first.image());
        }
    }
}

impl<T: Remote, const D: usize, A: Access> Region<'_, T, D, A> {
    /// One-sided. Stores `source` in the items, in row order.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// # Examples
    /// See [`Region`] and [`Coref::column`](crate::Coref::column).
    ///
    /// # Source
    /// `shmem_iput`, OpenSHMEM 1.5; Fortran 2018 assignment to coindexed array sections, clause 10.2.1.
    #[inline]
    #[track_caller]
    pub fn put_from(&self, source: &[T])
    where
        A: MayPut,
    {
        self.check_length(source.len());
        // SAFETY: the source is borrowed, and has as many items as the region.
        unsafe { self.send(source.as_ptr().cast(), self.packed()) }
    }

    /// One-sided. Copies the items of another region, on any image. It has the same extents, but for those of 1. The two may
    /// overlap: all items are those of before.
    ///
    /// # Panics
    /// If the extents differ.
    ///
    /// # Examples
    /// Image 1 gets the columns of image 0, in the other order:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([[10 * this_image() + 1, 10 * this_image() + 2]; 3]);
    ///     {
    ///         let x = x.open();
    ///         if this_image() == 0 {
    ///             x.at(1).column(0).copy_from(&x.at(0).column(1));
    ///             x.at(1).column(1).copy_from(&x.at(0).column(0));
    ///         }
    ///     }
    ///     assert_eq!(x[2], if this_image() == 0 { [1, 2] } else { [2, 1] });
    /// });
    /// ```
    ///
    /// # Source
    /// Assignment of array sections, Fortran 2018 clause 10.2.1.3.
    #[track_caller]
    pub fn copy_from<const E: usize, B: Access>(&self, source: &Region<'_, T, E, B>)
    where
        A: MayPut,
    {
        const { T::CHECK };
        let strides = self.strides_of_region(source);
        if self.is_empty() {
            return;
        }
        if self.first.is_direct() && source.first.is_direct() && !self.overlaps(source) {
            let runs = self.runs_from(strides);
            let length = runs.length();
            let (to, from) = (self.first.pointer(), source.first.pointer());
            // SAFETY: the items lie within their places, which are mapped, and have the same extents. Nobody holds a reference
            // that forbids it, as the contract of `Coref::new` says. Bytes that a race has torn stay torn: the next `get`, or
            // the end of the phase, checks them.
            return unsafe { copy_runs::<T>(to, from, runs, length) };
        }
        let mut bytes = Vec::<MaybeUninit<T>>::with_capacity(self.len());
        // SAFETY: the vector is valid for writes of all items, and afterwards for reads: there are equally many in both regions.
        unsafe {
            source.fetch(bytes.as_mut_ptr().cast(), source.packed());
            self.send(bytes.as_ptr().cast(), self.packed());
        }
    }

    #[track_caller]
    pub(super) fn strides_of_region<const E: usize, B: Access>(
        &self,
        source: &Region<'_, T, E, B>,
    ) -> Strides<D> {
        let dimensions = source.dimensions.iter();
        match self.aligned(dimensions.map(|dimension| (dimension.count, dimension.stride as isize)))
        {
            Some(strides) => strides,
            None => shapes_differ(&source.extents(), &self.extents(), self.first.image()),
        }
    }

    /// One-sided. Stores `value` in every item.
    ///
    /// # Examples
    /// See [`Coref::region`](crate::Coref::region).
    ///
    /// # Source
    /// As [`Coref::fill`](crate::Coref::fill).
    #[track_caller]
    pub fn fill(&self, value: T)
    where
        A: MayPut,
    {
        const { T::CHECK };
        let caller = Location::caller();
        let _at = (!self.first.is_direct()).then(|| attribute_to(caller));
        self.with_values(value, |values, length| {
            let runs = self.runs_from(self.strides());
            for start in (0..runs.length()).step_by(length) {
                let left = (runs.length() - start).min(length);
                let runs = runs.clone().map(|run| Run {
                    to: run.to + start as isize,
                    from: 0,
                });
                // SAFETY: the values are `length` readable bytes, whole items; each run has `left` bytes from `start` on.
                unsafe { self.send_runs(values, runs, left) };
            }
        });
    }

    /// Calls `work` with a copy of `value` for each item of a run, or as many as are put at a time, and their length in bytes.
    fn with_values(&self, value: T, work: impl FnOnce(*const u8, usize))
    where
        A: MayPut,
    {
        let run = self.runs_from(self.strides()).length();
        if run <= size_of::<T>() {
            return work((&raw const value).cast(), size_of::<T>().max(1));
        }
        let count = run.min(FILLED_AT_ONCE) / size_of::<T>();
        let values = vec![value; count.max(1)];
        work(values.as_ptr().cast(), size_of_val(&values[..]));
    }

    /// Copies the bytes of a place with these strides to all items.
    ///
    /// # Safety
    /// `source` is valid for reads of the items, where the strides say.
    #[track_caller]
    pub(super) unsafe fn send(&self, source: *const u8, strides: Strides<D>)
    where
        A: MayPut,
    {
        const { T::CHECK };
        // SAFETY: the caller vouches for the source; the items lie within the place.
        unsafe {
            if self.first.is_direct() {
                // In each branch, as in `fetch`.
                let runs = self.runs_from(strides);
                let length = runs.length();
                self.send_runs(source, runs, length);
            } else {
                send_block(self.first, source, self.runs_from(strides));
            }
        }
    }

    /// # Safety
    /// `source` is valid for reads of `length` bytes at each `from`. The items have them at each `to`, and all are whole items.
    #[track_caller]
    unsafe fn send_runs(&self, source: *const u8, runs: impl Iterator<Item = Run>, length: usize)
    where
        A: MayPut,
    {
        // SAFETY: the caller vouches for both sides. A direct place is mapped; nobody holds a reference to it, as the contract of
        // `Coref::new` says, and others access it through `direct`, too.
        unsafe {
            if self.first.is_direct() {
                copy_runs::<T>(self.first.pointer(), source, runs, length);
            } else {
                send_runs(self.first, source, runs, length);
            }
        }
    }

    /// Whether items of both may have bytes in common. Both are direct, and have items.
    fn overlaps<const E: usize, B: Access>(&self, other: &Region<'_, T, E, B>) -> bool {
        let (start, end) = self.span();
        let (other_start, other_end) = other.span();
        start < other_end && other_start < end
    }
}

impl<T, const D: usize, A: Access> Region<'_, T, D, A> {
    /// Address of the first byte, and of the byte after the last. There are items.
    fn span(&self) -> (usize, usize) {
        let start = self.first.local_address();
        let dimensions = self.dimensions.iter();
        let last: usize = dimensions
            .filter(|dimension| dimension.count > 1)
            .map(|dimension| (dimension.count - 1) * dimension.stride)
            .sum();
        (start, start + last + size_of::<T>())
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn shapes_differ(source: &[usize], region: &[usize], image: usize) -> ! {
    if let ([source], [region]) = (source, region) {
        extents_differ(*source, *region, image);
    }
    panic!(
        "an array with extents {source:?} does not fit a region with extents {region:?} on image {image}: they must be equal, \
         but for those of 1"
    )
}
