//! Nonblocking logical reductions: whether a value is true on all images, on any, or on how many.

use std::panic::Location;

use coarray_coref::Cofuture;
use coarray_runtime::Operation;

use crate::asynchronous::request::{AsyncCall, Contributions, all};

/// Collective. Begins to find out whether `value` is true on all images.
///
/// Nothing is synchronised: an image has the answer as soon as all images have made the call; see
/// [`co_sum_async`](crate::co_sum_async).
///
/// # Panics
/// If the heap has no room.
///
/// The job ends with a report if images are found to make another call, or if an image failed before this one.
///
/// # Examples
/// ```
/// use coarray_collectives::co_all_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let answers = run(3, || {
///     let (all, not_all) = (co_all_async(this_image() < 3), co_all_async(this_image() > 0));
///     (all.wait(), not_all.wait())
/// });
/// assert_eq!(answers, [(true, false); 3]);
/// ```
///
/// # Source
/// `MPI_Iallreduce` with `MPI_LAND`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_all_async(value: bool) -> Cofuture<'static, bool> {
    count(
        Operation::CoAll,
        value,
        Location::caller(),
        |count, images| count == images,
    )
}

/// Collective. Begins to find out whether `value` is true on any image.
///
/// As [`co_all_async`] in all else.
///
/// # Panics
/// If the heap has no room.
///
/// The job ends with a report if images are found to make another call, or if an image failed before this one.
///
/// # Examples
/// ```
/// use coarray_collectives::co_any_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let answers = run(3, || {
///     let (any, none) = (co_any_async(this_image() == 2), co_any_async(this_image() == 3));
///     (any.wait(), none.wait())
/// });
/// assert_eq!(answers, [(true, false); 3]);
/// ```
///
/// # Source
/// `MPI_Iallreduce` with `MPI_LOR`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_any_async(value: bool) -> Cofuture<'static, bool> {
    count(Operation::CoAny, value, Location::caller(), |count, _| {
        count > 0
    })
}

/// Collective. Begins to count the images on which `value` is true.
///
/// As [`co_all_async`] in all else.
///
/// # Panics
/// If the heap has no room.
///
/// The job ends with a report if images are found to make another call, or if an image failed before this one.
///
/// # Examples
/// ```
/// use coarray_collectives::co_count_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// assert_eq!(run(3, || co_count_async(this_image() != 1).wait()), [2; 3]);
/// ```
///
/// # Source
/// `MPI_Iallreduce` with `MPI_SUM`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_count_async(value: bool) -> Cofuture<'static, usize> {
    count(Operation::CoCount, value, Location::caller(), |count, _| {
        count
    })
}

/// Computes the result by `answer`, from the number of images on which `value` is true and the number of all images.
fn count<R: 'static>(
    operation: Operation,
    value: bool,
    caller: &'static Location<'static>,
    answer: fn(usize, usize) -> R,
) -> Cofuture<'static, R> {
    AsyncCall::new(operation, caller).post(&[value]).then(
        all,
        move |contributions: &Contributions| {
            let images = contributions.team().images();
            // SAFETY: every image posts one `bool`.
            let is_true = |&index: &usize| unsafe { contributions.part::<bool>(index)[0] };
            answer((0..images).filter(is_true).count(), images)
        },
    )
}
