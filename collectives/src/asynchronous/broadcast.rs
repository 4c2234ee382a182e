//! Nonblocking broadcast: every image gets the values of one.

use std::panic::Location;

use coarray_coref::{Cofuture, ValuesMut};
use coarray_runtime::{Operation, this_image};

use crate::asynchronous::request::{AsyncCall, only};

/// Collective. Begins to give every image of the current team the values of image `root`; the cofuture has them.
///
/// Nothing is synchronised: an image has the values as soon as `root` has made the call, and `root` has them at
/// once. The values of the others are not used, but have as many elements. Any number of asynchronous collectives
/// may be outstanding; all images call them in the same order, and each waits for them in any, or not at all.
///
/// # Panics
/// If the heap has no room for the values. In `wait`, or when polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if image
/// `root` failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_broadcast_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let received = run(3, || {
///     let numbers = co_broadcast_async([this_image(); 2], 1);
///     let factor = co_broadcast_async(0.5 * this_image() as f64, 2);
///     // ... compute something ...
///     assert_eq!(factor.wait(), 1.0);
///     numbers.wait()
/// });
/// assert_eq!(received, [[1, 1]; 3]);
/// ```
///
/// # Source
/// `MPI_Ibcast`, MPI 3.1 section 5.12.2.
#[track_caller]
pub fn co_broadcast_async<V>(values: V, root: usize) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
{
    let mut values = values;
    let length = values.elements().len();
    let is_root = this_image() == root;
    let part = if is_root { values.elements() } else { &[] };
    AsyncCall::rooted(Operation::CoBroadcast, root, Location::caller())
        .post_part(length, part)
        .then(only(root), move |contributions| {
            if !is_root {
                // SAFETY: the root posts its elements.
                let part = unsafe { contributions.part(root) };
                values.elements_mut().copy_from_slice(&part);
            }
            values
        })
}
