//! Nonblocking reductions to one image.

use std::ops::Add;
use std::panic::Location;

use coarray_coref::{Cofuture, ValuesMut};
use coarray_runtime::{Operation, this_image};

use crate::asynchronous::request::{AsyncCall, all_for, fold_up_to};
use crate::minmax::{larger, smaller};
use crate::sum::Summand;

/// Collective. Begins to add the values of all images, element by element, for image `root`, whose cofuture has the
/// sums. The others get their own values back.
///
/// As [`co_sum_async`](crate::co_sum_async), but an image other than `root` is done at once.
///
/// # Panics
/// If the heap has no room for the values. In `wait`, or when polled to the end, if `root` is no image, or where an addition overflows.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_sum_to_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let sums = run(4, || co_sum_to_async([this_image(), 1], 2).wait());
/// assert_eq!(sums, [[0, 1], [1, 1], [6, 4], [3, 1]]);
/// ```
///
/// # Source
/// `MPI_Ireduce`, MPI 3.1 section 5.12.7.
#[track_caller]
pub fn co_sum_to_async<V>(values: V, root: usize) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
    V::Element: Summand,
{
    combine_to(
        Operation::CoSumTo,
        values,
        root,
        Add::add,
        Location::caller(),
    )
}

/// Collective. Begins to find the smallest of all images' values, element by element, for image `root`, whose cofuture has the
/// minima. The others get their own values back.
///
/// As [`co_min_async`](crate::co_min_async), but an image other than `root` is done at once.
///
/// # Panics
/// If the heap has no room for the values. In `wait`, or when polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_min_to_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let smallest = run(3, || co_min_to_async(10 - this_image(), 0).wait());
/// assert_eq!(smallest, [8, 9, 8]);
/// ```
///
/// # Source
/// `MPI_Ireduce`, MPI 3.1 section 5.12.7.
#[track_caller]
pub fn co_min_to_async<V>(values: V, root: usize) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
    V::Element: PartialOrd,
{
    combine_to(
        Operation::CoMinTo,
        values,
        root,
        smaller,
        Location::caller(),
    )
}

/// Collective. Begins to find the largest of all images' values, element by element, for image `root`, whose cofuture has the
/// maxima. The others get their own values back.
///
/// As [`co_max_async`](crate::co_max_async), but an image other than `root` is done at once.
///
/// # Panics
/// If the heap has no room for the values. In `wait`, or when polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_max_to_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let largest = run(3, || co_max_to_async(this_image(), 0).wait());
/// assert_eq!(largest, [2, 1, 2]);
/// ```
///
/// # Source
/// `MPI_Ireduce`, MPI 3.1 section 5.12.7.
#[track_caller]
pub fn co_max_to_async<V>(values: V, root: usize) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
    V::Element: PartialOrd,
{
    combine_to(Operation::CoMaxTo, values, root, larger, Location::caller())
}

/// Collective. Begins to combine all images' values with `operation`, element by element, for image `root`, whose
/// cofuture has the results. The others get their own values back.
///
/// As [`co_reduce_async`](crate::co_reduce_async), but an image other than `root` is done at once, and never
/// applies `operation`.
///
/// # Panics
/// If the heap has no room for the values; where `operation` does. In `wait`, or when polled to the end, if `root` is
/// no image.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_reduce_to_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let products = run(3, || co_reduce_to_async(this_image() + 2, 1, |a, b| a * b).wait());
/// assert_eq!(products, [2, 24, 4]);
/// ```
///
/// # Source
/// `MPI_Ireduce` with `MPI_Op_create`, MPI 3.1 section 5.12.7.
#[track_caller]
pub fn co_reduce_to_async<V>(
    values: V,
    root: usize,
    operation: impl Fn(V::Element, V::Element) -> V::Element + 'static,
) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
{
    combine_to(
        Operation::CoReduceTo,
        values,
        root,
        operation,
        Location::caller(),
    )
}

#[track_caller]
fn combine_to<V>(
    operation: Operation,
    values: V,
    root: usize,
    operator: impl Fn(V::Element, V::Element) -> V::Element + 'static,
    caller: &'static Location<'static>,
) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
{
    let mut values = values;
    let is_root = this_image() == root;
    AsyncCall::rooted(operation, root, caller)
        .post(values.elements())
        .then(all_for(root), move |contributions| {
            if is_root {
                let result = values.elements_mut();
                let (last, range) = (contributions.team().images() - 1, 0..result.len());
                // SAFETY: every image posts all its elements; their number is the same on all.
                unsafe { fold_up_to(contributions, last, range, result, &operator) };
            }
            values
        })
}
