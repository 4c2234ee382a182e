//! Gets and puts of the items that a list of indices names.
//!
//! Between nodes all are on their way at the same time, in the order of their places: those near each other are fetched as one.

mod on_images;
mod scattered;

use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

use coarray_fabric::Buffer;

pub use on_images::{
    Listed, gather_listed, gather_listed_async, scatter_listed, scatter_listed_async,
};
pub use scattered::scatter_direct;

use crate::access::{Access, MayPut};
use crate::bulk::write_checked;
use crate::cofuture::Cofuture;
use crate::coref::Coref;
use crate::radix_sort::sort_by_key;
use crate::region::fetch::fetch_runs;
use crate::region::issued::{AllIssued, issue_gets, issue_puts};
use crate::region::runs::Run;
use crate::region::send::{copy_runs, send_runs_to_each};
use crate::remote::{Remote, Symmetric};
use crate::scope::{AsyncScope, Delivery};
use crate::shape::elements_in;

impl<T: Remote, A: Access> Coref<[T], A> {
    /// One-sided. Fetches the items that `indices` name, in their order, into `target`.
    ///
    /// # Panics
    /// If the lengths differ, or an index is out of bounds: the message names its position in the list. Then nothing is fetched. If
    /// bytes are no valid values, which can happen only if images wrote to the items at the same time.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[f64]>::from_fn(100, |i| i as f64);
    ///     let x = x.open();
    ///     let mut values = [0.0; 4];
    ///     x.at(1 - this_image()).gather_from(&[7, 99, 0, 7], &mut values);
    ///     assert_eq!(values, [7.0, 99.0, 0.0, 7.0]);
    /// });
    /// ```
    ///
    /// # Source
    /// Vector subscripts, Fortran 2018 clause 9.5.3.3.3; `MPI_Type_create_indexed_block`, MPI 3.1 section 4.1.2.
    #[track_caller]
    pub fn gather_from(&self, indices: &[usize], target: &mut [T]) {
        const { T::CHECK };
        self.check_indices(indices, target.len());
        if self.is_direct() && T::ANY_BITS {
            let target = target.as_mut_ptr().cast();
            // SAFETY: all indices were checked. The target is borrowed mutably, has as many items, and any bytes are a valid `T`.
            // The place is mapped; nobody holds an exclusive reference to it, as the contract of `Coref::new` says, and others
            // access it through `direct`, too.
            return unsafe {
                copy_runs::<T>(
                    target,
                    self.pointer(),
                    from_there::<T>(indices),
                    size_of::<T>(),
                )
            };
        }
        if self.is_direct() {
            for (value, &index) in target.iter_mut().zip(indices) {
                // SAFETY: all indices were checked.
                *value = unsafe { self.item::<T>(index) }.get();
            }
            return;
        }
        let mut runs: Vec<Run> = from_there::<T>(indices).collect();
        sort_by_key(&mut runs, |run| run.from.unsigned_abs());
        if T::ANY_BITS {
            // SAFETY: all indices were checked. The target is borrowed mutably, has as many items, and any bytes are a valid `T`.
            return unsafe { self.fetch_items(target.as_mut_ptr().cast(), &runs) };
        }
        let mut elements =
            vec![MaybeUninit::<T::Element>::uninit(); target.len() * elements_in::<T>()];
        // SAFETY: all indices were checked, and there is an item for each. All bytes are initialised then; the target has as many
        // elements.
        let arrived = unsafe {
            self.fetch_items(elements.as_mut_ptr().cast(), &runs);
            write_checked(&elements, target.as_mut_ptr().cast(), self.image())
        };
        if let Err(torn) = arrived {
            torn.report();
        }
    }

    /// # Safety
    /// The runs are of items within the place, and `target` is valid for writes of an item at each `to`.
    #[track_caller]
    unsafe fn fetch_items(&self, target: *mut u8, runs: &[Run]) {
        if size_of::<T>() > 0 {
            // SAFETY: the caller vouches for both sides.
            unsafe { fetch_runs(self, target, runs.iter().copied(), size_of::<T>()) }
        }
    }

    /// One-sided. Stores `values` in the items that `indices` name. If an index comes more than once, the last value stays.
    ///
    /// # Panics
    /// If the lengths differ, or an index is out of bounds: the message names its position in the list. Then nothing is stored.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[u32]>::zeroed(10);
    ///     x.open().at(1 - this_image()).scatter_to(&[7, 0, 7], &[1, 2, 3]);
    ///     assert_eq!(x[..], [2, 0, 0, 0, 0, 0, 0, 3, 0, 0]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`gather_from`](Self::gather_from).
    #[track_caller]
    pub fn scatter_to(&self, indices: &[usize], values: &[T])
    where
        A: MayPut,
    {
        const { T::CHECK };
        self.check_indices(indices, values.len());
        if self.is_direct() {
            let start = self.local_address();
            // SAFETY: all indices were checked. The place is mapped; nobody holds a reference to it, as the contract of `Coref::new` says.
            return unsafe {
                scatter_direct(indices, values, |index| start + index * size_of::<T>())
            };
        }
        let runs = in_order::<T>(indices);
        if size_of::<T>() > 0 {
            let source = values.as_ptr().cast();
            // SAFETY: all indices were checked, and there is a value for each. The runs ascend, and no item comes twice.
            unsafe { send_runs_to_each(&[(self, &runs)], source, size_of::<T>()) }
        }
    }

    /// One-sided. Begins to fetch the items that `indices` name into `target`. The target is borrowed until the scope ends;
    /// [`wait`](Cofuture::wait) gives it back earlier.
    ///
    /// # Panics
    /// As [`gather_from`](Self::gather_from).
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[usize]>::from_fn(10, |i| 10 * i);
    ///     let x = x.open();
    ///     let mut values = [0; 2];
    ///     async_scope(|scope| {
    ///         let fetched = x.at(1).gather_from_async(&[9, 3], &mut values, scope);
    ///         // ... compute something ...
    ///         assert_eq!(fetched.wait(), [90, 30]);
    ///     });
    /// });
    /// ```
    ///
    /// # Source
    /// `get_cofuture(&y)`, *Coarray C++* section 7.
    #[track_caller]
    pub fn gather_from_async<'a, 'scope>(
        &'a self,
        indices: &[usize],
        target: &'scope mut [T],
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, &'scope mut [T]> {
        const { T::CHECK };
        if self.is_direct() || size_of::<T>() == 0 {
            self.gather_from(indices, target);
            return Cofuture::complete(Ok(target));
        }
        self.check_indices(indices, target.len());
        let count = target.len() * elements_in::<T>();
        let target = ptr::from_mut(target);
        let staged =
            (!T::ANY_BITS).then(|| scope.stage(target.cast::<T::Element>(), count, self.image()));
        let arrives = staged
            .as_ref()
            .map_or(target.cast(), |staged| staged.start());
        let runs = from_there::<T>(indices);
        // SAFETY: all indices were checked, and there is an item for each in the target, which is borrowed until the end of the
        // scope, or in staging memory, which the scope keeps. The scope completes the operations.
        let issued = unsafe { issue_gets(self, arrives, runs, size_of::<T>()) };
        let deliver = move || {
            if let Some(staged) = staged {
                scope.note(staged.deliver())?;
            }
            // SAFETY: `target` comes from a reference that is borrowed for `'scope`, and only these operations used it since. They
            // are complete, and have left valid items only.
            Ok(unsafe { &mut *target })
        };
        match issued {
            Some(all) => all.cofuture(deliver),
            None => Cofuture::complete(deliver()),
        }
    }

    /// One-sided. Begins to store `values`, which are copied first, in the items that `indices` name. If an index comes more than
    /// once, the last value stays.
    ///
    /// # Panics
    /// As [`scatter_to`](Self::scatter_to).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[u8]>::zeroed(3);
    ///     {
    ///         let x = x.open();
    ///         drop(x.at(1 - this_image()).scatter_to_async(&[2, 0], &[7, 8])); // complete when the phase ends
    ///     }
    ///     assert_eq!(x[..], [8, 0, 7]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`scatter_to`](Self::scatter_to) and [`put_async`](Coref::put_async).
    #[track_caller]
    pub fn scatter_to_async(&self, indices: &[usize], values: &[T]) -> Cofuture<'_, ()>
    where
        A: MayPut,
    {
        const { T::CHECK };
        if self.is_direct() || size_of::<T>() == 0 {
            self.scatter_to(indices, values);
            return Cofuture::complete(Ok(()));
        }
        self.check_indices(indices, values.len());
        let source = values.as_ptr().cast::<u8>();
        // SAFETY: all indices were checked, and there is a value for each, which has no padding. The requests own their buffers.
        let issued = unsafe {
            issue_puts(self, in_order::<T>(indices).into_iter(), |run| {
                let value = slice::from_raw_parts(source.wrapping_offset(run.from), size_of::<T>());
                Buffer::Owned(value.into())
            })
        };
        AllIssued::cofuture_of_puts(issued)
    }
}

impl<T: Symmetric, A: Access> Coref<[T], A> {
    /// Panics unless there is a value for each index, and an item.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    pub fn check_indices(&self, indices: &[usize], values: usize) {
        if indices.len() != values {
            lengths_differ(indices.len(), values);
        }
        // The highest bit of this is set if an index is out of bounds, as an extent has fewer bits. No early end and no comparison,
        // so that the compiler uses vectors.
        let last = self.len().wrapping_sub(1);
        let bits = indices
            .iter()
            .fold(0, |bits, &index| bits | index | last.wrapping_sub(index));
        if bits > usize::MAX / 2 {
            out_of_bounds(indices, self.len(), self.image());
        }
    }
}

/// From the items that the indices name to the places of the list.
#[inline]
fn from_there<T>(indices: &[usize]) -> impl Iterator<Item = Run> + Clone {
    let size = size_of::<T>() as isize;
    indices
        .iter()
        .enumerate()
        .map(move |(position, &index)| Run {
            to: position as isize * size,
            from: index as isize * size,
        })
}

/// From the places of the list to the items that the indices name, in the order of these; of equal indices the last.
fn in_order<T>(indices: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = from_there::<T>(indices).map(Run::reversed).collect();
    sort_by_key(&mut runs, |run| run.to.unsigned_abs());
    runs.dedup_by(|next, kept| {
        let is_same = next.to == kept.to;
        if is_same {
            *kept = *next;
        }
        is_same
    });
    runs
}

#[cold]
#[inline(never)]
#[track_caller]
fn lengths_differ(indices: usize, values: usize) -> ! {
    panic!(
        "a list of {indices} indices does not fit {values} values: there is one value for each index"
    )
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds(indices: &[usize], extent: usize, image: usize) -> ! {
    let position = indices.iter().position(|&index| index >= extent);
    let position = position.unwrap_or_default();
    panic!(
        "index {} at position {position} of a list is out of bounds of a coref with extent {extent} on image {image}",
        indices[position]
    )
}
