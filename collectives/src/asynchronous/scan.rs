//! Nonblocking scans: for each image, the values of all images up to it combined.

use std::panic::Location;

use coarray_coref::{Cofuture, ValuesMut};
use coarray_runtime::Operation;

use crate::asynchronous::request::{AsyncCall, fold, fold_up_to};

/// Collective. Begins to combine the values of the images up to this one, itself included, with `operation`,
/// element by element; the cofuture has the results.
///
/// `operation` must be associative and the same on all images. It is applied from image 0 upwards, so it need not
/// be commutative; it runs on each image that takes the result, in `wait` or when polled to the end. Nothing is
/// synchronised: an image has the results as soon as those before it have made the call. Any number of asynchronous
/// collectives may be outstanding; all images call them in the same order, and each waits for them in any, or not at
/// all.
///
/// # Panics
/// If the heap has no room for the values; where `operation` does.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// before this one failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_scan_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let sums = run(4, || co_scan_async([this_image(), 1], |a, b| a + b).wait());
/// assert_eq!(sums, [[0, 1], [1, 2], [3, 3], [6, 4]]);
/// ```
///
/// # Source
/// `MPI_Iscan`, MPI 3.1 section 5.12.11.
#[track_caller]
pub fn co_scan_async<V>(
    values: V,
    operation: impl Fn(V::Element, V::Element) -> V::Element + 'static,
) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
{
    let mut values = values;
    AsyncCall::new(Operation::CoScan, Location::caller())
        .post(values.elements())
        .then(
            |team| 0..team.index() + 1,
            move |contributions| {
                let result = values.elements_mut();
                let (last, range) = (contributions.team().index(), 0..result.len());
                // SAFETY: every image posts all its elements; their number is the same on all.
                unsafe { fold_up_to(contributions, last, range, result, &operation) };
                values
            },
        )
}

/// Collective. Begins to combine `initial` and the values of the images before this one with `operation`, element by
/// element; the cofuture has the results, which on image 0 are `initial`.
///
/// As [`co_scan_async`] in all else; image 0 is done at once.
///
/// # Panics
/// If the heap has no room for the values; where `operation` does.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// before this one failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_exscan_async;
/// use coarray_launch::run;
///
/// // Where the part of each image begins, when all parts are put one after the other.
/// let length = 5;
/// assert_eq!(run(3, || co_exscan_async(length, 0, |a, b| a + b).wait()), [0, 5, 10]);
/// ```
///
/// # Source
/// `MPI_Iexscan`, MPI 3.1 section 5.12.12, whose result on the first image is undefined.
#[track_caller]
pub fn co_exscan_async<V>(
    values: V,
    initial: V::Element,
    operation: impl Fn(V::Element, V::Element) -> V::Element + 'static,
) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
{
    let mut values = values;
    AsyncCall::new(Operation::CoExscan, Location::caller())
        .post(values.elements())
        .then(
            |team| 0..team.index(),
            move |contributions| {
                let result = values.elements_mut();
                result.fill(initial);
                let (before, range) = (0..contributions.team().index(), 0..result.len());
                // SAFETY: every image posts all its elements; their number is the same on all.
                unsafe { fold(contributions, before, range, result, &operation) };
                values
            },
        )
}
