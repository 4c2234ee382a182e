//! Nonblocking gather and allgather: the values of all images, one after the other.

use std::panic::Location;

use coarray_coref::{Cofuture, Remote, Values};
use coarray_runtime::{Operation, this_image};

use crate::asynchronous::request::{AsyncCall, Contributions, all, all_for};

/// Collective. Begins to gather the values of all images on image `root`, whose cofuture has them in the order of the
/// images. The others get nothing.
///
/// Nothing is synchronised: `root` has the values as soon as all images have made the call, and the others are done
/// at once. Any number of asynchronous collectives may be outstanding; all images call them in the same order, and
/// each waits for them in any, or not at all.
///
/// # Panics
/// If the heap has no room for the values. In `wait`, or when polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_gather_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let gathered = run(3, || co_gather_async([this_image(), 7], 1).wait());
/// assert_eq!(gathered, [vec![], vec![0, 7, 1, 7, 2, 7], vec![]]);
/// ```
///
/// # Source
/// `MPI_Igather`, MPI 3.1 section 5.12.3.
#[track_caller]
pub fn co_gather_async<V>(values: V, root: usize) -> Cofuture<'static, Vec<V::Element>>
where
    V: Values + 'static,
{
    let is_root = this_image() == root;
    AsyncCall::rooted(Operation::CoGather, root, Location::caller())
        .post(values.elements())
        .then(all_for(root), move |contributions| {
            if is_root {
                // SAFETY: every image posts its elements.
                unsafe { concatenate(contributions) }
            } else {
                Vec::new()
            }
        })
}

/// Collective. Begins to gather the values of all images on every image, in the order of the images.
///
/// Nothing is synchronised: an image has the values as soon as all images have made the call; see
/// [`co_gather_async`].
///
/// # Panics
/// If the heap has no room for the values.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_allgather_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let gathered = run(3, || co_allgather_async(10 * this_image()).wait());
/// assert_eq!(gathered, [[0, 10, 20]; 3]);
/// ```
///
/// # Source
/// `MPI_Iallgather`, MPI 3.1 section 5.12.5.
#[track_caller]
pub fn co_allgather_async<V>(values: V) -> Cofuture<'static, Vec<V::Element>>
where
    V: Values + 'static,
{
    AsyncCall::new(Operation::CoAllgather, Location::caller())
        .post(values.elements())
        // SAFETY: every image posts its elements.
        .then(all, |contributions| unsafe { concatenate(contributions) })
}

/// The parts of all images, one after the other.
///
/// # Safety
/// Every image whose call is the same posts `T`s.
unsafe fn concatenate<T: Remote>(contributions: &Contributions) -> Vec<T> {
    let images = contributions.team().images();
    let mut all = Vec::with_capacity(images * contributions.length::<T>(0));
    for index in 0..images {
        // SAFETY: the caller vouches that every image whose call is the same posts `T`s.
        all.extend_from_slice(&unsafe { contributions.part(index) });
    }
    all
}
