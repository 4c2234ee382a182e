//! Nonblocking reductions: the values of all images combined, element by element, for all.

use std::ops::Add;
use std::panic::Location;

use coarray_coref::{Cofuture, ValuesMut};
use coarray_runtime::{Operation, Team};

use crate::asynchronous::request::{AsyncCall, all, fold_up_to};
use crate::asynchronous::shared;
use crate::minmax::{larger, smaller};
use crate::sum::Summand;

/// Collective. Begins to add the values of all images, element by element; the cofuture has the sums.
///
/// The elements are added from image 0 upwards, so every image gets the same bits, those of
/// [`co_sum`](crate::co_sum). Long values of eight images or more are added once, each slice by an image that waits.
/// Integer overflow panics or wraps as `+` does in the same build. Nothing is synchronised: an image has the sums as soon as all images have made the call. Any number of asynchronous
/// collectives may be outstanding; all images call them in the same order, and each waits for them in any, or not at
/// all.
///
/// # Panics
/// If the heap has no room for the values. In `wait`, or when polled to the end, where an addition overflows.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_sum_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let sums = run(4, || {
///     let count = co_sum_async(1);
///     let sums = co_sum_async([this_image() as f64, 0.5]);
///     // ... compute something ...
///     assert_eq!(count.wait(), 4);
///     sums.wait()
/// });
/// assert_eq!(sums, [[6.0, 2.0]; 4]);
/// ```
///
/// # Source
/// `MPI_Iallreduce`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_sum_async<V>(values: V) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
    V::Element: Summand,
{
    combine(Operation::CoSum, values, Add::add, Location::caller())
}

/// Collective. Begins to find the smallest of all images' values, element by element; the cofuture has them.
///
/// Which of several is the smallest, and all else, is as in [`co_min`](crate::co_min) and [`co_sum_async`].
///
/// # Panics
/// If the heap has no room for the values.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_min_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let smallest = run(3, || co_min_async(10.0 - this_image() as f64).wait());
/// assert_eq!(smallest, [8.0; 3]);
/// ```
///
/// # Source
/// `MPI_Iallreduce`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_min_async<V>(values: V) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
    V::Element: PartialOrd,
{
    combine(Operation::CoMin, values, smaller, Location::caller())
}

/// Collective. Begins to find the largest of all images' values, element by element; the cofuture has them.
///
/// Which of several is the largest, and all else, is as in [`co_max`](crate::co_max) and [`co_sum_async`].
///
/// # Panics
/// If the heap has no room for the values.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_max_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let largest = run(3, || co_max_async([this_image(), 7]).wait());
/// assert_eq!(largest, [[2, 7]; 3]);
/// ```
///
/// # Source
/// `MPI_Iallreduce`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_max_async<V>(values: V) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
    V::Element: PartialOrd,
{
    combine(Operation::CoMax, values, larger, Location::caller())
}

/// Collective. Begins to combine all images' values with `operation`, element by element; the cofuture has the
/// results.
///
/// `operation` must be associative and the same on all images. It is applied from image 0 upwards, so it need not
/// be commutative; it runs on each image that takes the result, in `wait` or when polled to the end. All else is as
/// in [`co_sum_async`].
///
/// # Panics
/// If the heap has no room for the values; where `operation` does.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_reduce_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let products = run(4, || {
///     let product = co_reduce_async([this_image() as u32 + 1; 3], |a, b| a * b);
///     // ... compute something ...
///     product.wait()
/// });
/// assert_eq!(products, [[24; 3]; 4]);
/// ```
///
/// # Source
/// `MPI_Iallreduce` with `MPI_Op_create`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_reduce_async<V>(
    values: V,
    operation: impl Fn(V::Element, V::Element) -> V::Element + 'static,
) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
{
    combine(Operation::CoReduce, values, operation, Location::caller())
}

#[track_caller]
fn combine<V>(
    operation: Operation,
    values: V,
    operator: impl Fn(V::Element, V::Element) -> V::Element + 'static,
    caller: &'static Location<'static>,
) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
{
    let mut values = values;
    let call = AsyncCall::new(operation, caller);
    let (team, elements) = (Team::current(), values.elements());
    if shared::is_shared::<V::Element>(&team, elements.len()) {
        return shared::post(call, &team, elements).then(all, move |contributions| {
            // SAFETY: every image posts its elements so; their number is the same on all.
            unsafe { shared::fold_together(contributions, values.elements_mut(), &operator) };
            values
        });
    }
    call.post(elements).then(all, move |contributions| {
        let result = values.elements_mut();
        let (last, range) = (contributions.team().images() - 1, 0..result.len());
        // SAFETY: every image posts all its elements; their number is the same on all.
        unsafe { fold_up_to(contributions, last, range, result, &operator) };
        values
    })
}
