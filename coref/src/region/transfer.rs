//! Gets, puts, copies and fills of regions.

use std::mem::MaybeUninit;

use coarray_fabric::{Buffer, Deferral, Request, direct, reach_to_put};
use ndarray::{ArrayRef, Dimension as NdDimension};

use crate::access::{Access, MayPut};
use crate::bulk::extents_differ;
use crate::coref::Coref;
use crate::region::fetch::fetch_runs;
use crate::region::runs::Run;
use crate::region::{Region, Strides};
use crate::remote::Remote;
use crate::shape::elements_in;
use crate::transfer::{Torn, checked};

/// Up to this length a put is staged by the fabric, and the next can follow at once.
const STAGED: usize = 512;

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
    /// See [`Region`] and [`Coref::section`].
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
    pub fn get_into_array<I: NdDimension>(&self, target: &mut ArrayRef<T, I>) {
        let strides = self.strides_of(target);
        // SAFETY: the array is borrowed mutably, and has the extents of the region: an item at each of its strides.
        let arrived = unsafe { self.get_to(target.as_mut_ptr(), strides) };
        if let Err(torn) = arrived {
            torn.report();
        }
    }

    /// Fetches all items to a place with these strides, which need not be initialised.
    ///
    /// # Errors
    /// If an item is not valid. Then nothing is written.
    ///
    /// # Safety
    /// `target` is aligned and valid for writes of the items, where the strides say, and nobody else accesses it.
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
    pub(super) unsafe fn fetch(&self, target: *mut u8, strides: Strides<D>) {
        let runs = self.runs_to(strides);
        let length = runs.length();
        // SAFETY: the caller vouches for the target. The items lie within one place, as was checked when the region was made. If
        // it is direct it is mapped; nobody holds an exclusive reference to it, as the contract of `Coref::new` says, and others
        // access it through `direct`, too.
        unsafe {
            if self.first.is_direct() {
                copy_runs::<T>(target, self.first.pointer(), runs, length);
            } else {
                fetch_runs(self.first, target, runs, length);
            }
        }
    }

    #[inline]
    #[track_caller]
    pub(super) fn check_length(&self, length: usize) {
        if length != self.len() {
            extents_differ(length, self.len(), self.first.image());
        }
    }

    /// In bytes.
    #[track_caller]
    fn strides_of<I: NdDimension>(&self, array: &ArrayRef<T, I>) -> Strides<D> {
        let size = size_of::<T>() as isize;
        let strides = array.strides().iter().map(|&stride| stride * size);
        let dimensions = array.shape().iter().copied().zip(strides);
        match self.aligned(dimensions) {
            Some(strides) => strides,
            None => shapes_differ(array.shape(), &self.extents(), self.first.image()),
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
    /// See [`Region`] and [`Coref::column`].
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
    pub fn put_from_array<I: NdDimension>(&self, source: &ArrayRef<T, I>)
    where
        A: MayPut,
    {
        let strides = self.strides_of(source);
        // SAFETY: the source is borrowed, and has the extents of the region: an item at each of its strides.
        unsafe { self.send(source.as_ptr().cast(), strides) }
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
    /// See [`Coref::region`].
    ///
    /// # Source
    /// As [`Coref::fill`].
    pub fn fill(&self, value: T)
    where
        A: MayPut,
    {
        const { T::CHECK };
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
    unsafe fn send(&self, source: *const u8, strides: Strides<D>)
    where
        A: MayPut,
    {
        const { T::CHECK };
        let runs = self.runs_from(strides);
        let length = runs.length();
        // SAFETY: the caller vouches for the source; the items lie within the place.
        unsafe { self.send_runs(source, runs, length) }
    }

    /// # Safety
    /// `source` is valid for reads of `length` bytes at each `from`. The items have them at each `to`, and all are whole items.
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

/// Copies runs of `length` bytes, which are whole items.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `length` bytes where the runs say, aligned for `T`. Others may access them at the
/// same time through `direct`.
#[inline]
pub(crate) unsafe fn copy_runs<T: Copy>(
    to: *mut u8,
    from: *const u8,
    runs: impl Iterator<Item = Run>,
    length: usize,
) {
    if length == size_of::<T>() && length <= direct::SCALAR_BYTES {
        return runs.for_each(|run| {
            let to = to.wrapping_offset(run.to).cast::<MaybeUninit<T>>();
            let from = from.wrapping_offset(run.from).cast::<T>();
            // SAFETY: the caller vouches for an item at each of the two; a `T` that is moved between images has no padding.
            unsafe { direct::store(to, &direct::load(from)) }
        });
    }
    runs.for_each(|run| {
        let (to, from) = (to.wrapping_offset(run.to), from.wrapping_offset(run.from));
        // SAFETY: the caller vouches for `length` bytes at each of the two.
        unsafe { direct::copy(to, from, length) }
    });
}

/// Puts runs of `length` bytes through the fabric. The source may be changed on return.
///
/// # Safety
/// `source` is valid for reads of `length` bytes at each `from`, and the place that `place` is a part of has them at each `to`.
#[cold]
#[inline(never)]
pub(crate) unsafe fn send_runs<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    source: *const u8,
    runs: impl Iterator<Item = Run>,
    length: usize,
) {
    // A waker that panics must not unwind while operations read the source.
    let _wakers = Deferral::new();
    let image = place.image();
    reach_to_put(image, place.local_address(), |fabric, offset| {
        let is_staged = length <= STAGED || runs.size_hint().1 == Some(1);
        let issue = |run: Run| -> Option<Request> {
            let from = source.wrapping_offset(run.from);
            let to = offset.wrapping_add_signed(run.to);
            // SAFETY: the caller vouches for both sides; the owner holds no reference to the place, as the contract of
            // `Coref::new` says. A put only reads a lent buffer, which stays valid until the operation is complete, below:
            // wakers are deferred, and what fails in a fabric ends the job.
            unsafe {
                if is_staged {
                    fabric.put(image, to, from, length);
                    return None;
                }
                let buffer = Buffer::Lent(from.cast_mut(), length);
                Some(fabric.issue_put(image, to, buffer))
            }
        };
        let issued: Vec<Request> = runs.filter_map(issue).collect();
        issued.iter().for_each(|request| fabric.wait(request));
    });
}

#[cold]
#[inline(never)]
#[track_caller]
fn shapes_differ(source: &[usize], region: &[usize], image: usize) -> ! {
    panic!(
        "an array with extents {source:?} does not fit a region with extents {region:?} on image {image}: they must be equal, \
         but for those of 1"
    )
}
