//! Nonblocking alltoall and reduce-scatter: every image gets a share of the values of all.

use std::panic::Location;

use coarray_coref::{Cofuture, Values};
use coarray_runtime::{Operation, Team};

use crate::asynchronous::request::{AsyncCall, all, fold_up_to, share_length};

/// Collective. Begins to exchange the values of all images: each image divides its own in equal shares, and gets
/// from every image, in the order of the images, the share with its own number.
///
/// Nothing is synchronised: an image has its values as soon as all images have made the call. Any number of
/// asynchronous collectives may be outstanding; all images call them in the same order, and each waits for them in
/// any, or not at all.
///
/// # Panics
/// If the values cannot be divided in equal shares, or the heap has no room for them.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_alltoall_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let received = run(2, || {
///     let me = 10 * this_image();
///     co_alltoall_async([me, me + 1, me + 2, me + 3]).wait()
/// });
/// assert_eq!(received, [[0, 1, 10, 11], [2, 3, 12, 13]]);
/// ```
///
/// # Source
/// `MPI_Ialltoall`, MPI 3.1 section 5.12.6.
#[track_caller]
pub fn co_alltoall_async<V>(values: V) -> Cofuture<'static, Vec<V::Element>>
where
    V: Values + 'static,
{
    let values = values.elements();
    let team = Team::current();
    let (me, images) = (team.index(), team.images());
    let share = share_length(Operation::CoAlltoall, values.len(), images);
    AsyncCall::new(Operation::CoAlltoall, Location::caller())
        .post(values)
        .then(all, move |contributions| {
            let mut received = Vec::with_capacity(share * images);
            for from in 0..images {
                // SAFETY: every image posts its elements; their number is the same on all.
                let part = unsafe {
                    contributions.part_in::<V::Element>(from, share * me..share * (me + 1))
                };
                received.extend_from_slice(&part);
            }
            received
        })
}

/// Collective. Begins to combine all images' values with `operation`, element by element, and to divide the results
/// in equal shares; the cofuture has the share with the number of this image.
///
/// `operation` must be associative and the same on all images. It is applied from image 0 upwards, so it need not be
/// commutative; it runs on each image for its own share, in `wait` or when polled to the end. All else is as in
/// [`co_alltoall_async`].
///
/// # Panics
/// If the values cannot be divided in equal shares, or the heap has no room for them; where `operation` does.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_reduce_scatter_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let shares = run(2, || {
///     let me = this_image();
///     co_reduce_scatter_async([me, 1, 2, me + 3], |a, b| a + b).wait()
/// });
/// assert_eq!(shares, [[1, 2], [4, 7]]);
/// ```
///
/// # Source
/// `MPI_Ireduce_scatter_block`, MPI 3.1 section 5.12.9.
#[track_caller]
pub fn co_reduce_scatter_async<V>(
    values: V,
    operation: impl Fn(V::Element, V::Element) -> V::Element + 'static,
) -> Cofuture<'static, Vec<V::Element>>
where
    V: Values + 'static,
{
    let team = Team::current();
    let (me, images) = (team.index(), team.images());
    let elements = values.elements();
    let share = share_length(Operation::CoReduceScatter, elements.len(), images);
    let range = share * me..share * (me + 1);
    let mut result = elements[range.clone()].to_vec();
    AsyncCall::new(Operation::CoReduceScatter, Location::caller())
        .post(elements)
        .then(all, move |contributions| {
            // SAFETY: every image posts its elements; their number is the same on all.
            unsafe { fold_up_to(contributions, images - 1, range, &mut result, &operation) };
            result
        })
}
