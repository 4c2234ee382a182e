//! Nonblocking broadcast and gather of values of any type that `serde` knows.
//!
//! Functions of the program run before a value is posted, and when all that a result needs is there.

use std::panic::Location;

use coarray_coref::Cofuture;
use coarray_runtime::{Operation, this_image};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::asynchronous::request::{AsyncCall, Contributions, all, all_for, only};
use crate::serialised::{decoded, encoded};

/// Collective. Begins to give every image of the current team the value that `value` returns on image `root`, of any type that
/// `serde` knows; the cofuture has it. With the feature `serde`.
///
/// Only `root` calls `value`, at once, and its cofuture has that very value; the others make theirs from its bytes when they wait; what
/// arrives of a value is said at [`co_broadcast_value`](crate::co_broadcast_value).
///
/// Nothing is synchronised: an image has the value as soon as `root` has made the call, and `root` has it at once. Any number of
/// asynchronous collectives may be outstanding; all images call them in the same order, and each waits for them in any, or not at
/// all.
///
/// # Panics
/// On `root` if `value` or `Serialize` panics or fails, or if the heap has no room for the bytes. In `wait`, or when polled to the end,
/// if `root` is no image, or on the others if `Deserialize` panics or fails.
///
/// The job ends with a report if images are found to call it with different types or roots, or if image `root` failed before it
/// did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_broadcast_value_async;
/// use coarray_launch::run;
///
/// let received = run(3, || {
///     let names = co_broadcast_value_async(|| vec!["inlet".to_owned(), "outlet".to_owned()], 1);
///     // ... compute something ...
///     names.wait()
/// });
/// assert_eq!(received, [["inlet", "outlet"]; 3]);
/// ```
///
/// # Source
/// `MPI_Ibcast`, MPI 3.1 section 5.12.2, of a value as in `broadcast` of Boost.MPI.
#[track_caller]
pub fn co_broadcast_value_async<T: Serialize + DeserializeOwned + 'static>(
    value: impl FnOnce() -> T,
    root: usize,
) -> Cofuture<'static, T> {
    let (operation, caller) = (Operation::CoBroadcastValue, Location::caller());
    let own = if this_image() == root {
        Some(value())
    } else {
        None
    };
    let bytes = match &own {
        Some(value) => encoded(&name(operation, caller), value),
        None => vec![],
    };
    AsyncCall::rooted(operation, root, caller)
        .post_bytes::<T>(0, &[&bytes])
        .then(only(root), move |contributions| match own {
            Some(value) => value,
            None => value_from(contributions, root, &name(operation, caller)),
        })
}

/// Collective. Begins to gather the values of all images of the current team, of any type that `serde` knows, on image `root`, whose
/// cofuture has them in the order of the images. The others get an empty vector. With the feature `serde`.
///
/// All values of the vector are made from bytes, when `root` waits; what arrives of a value is said at
/// [`co_broadcast_value`](crate::co_broadcast_value).
///
/// Nothing is synchronised: `root` has the values as soon as all images have made the call, and the others are done at once; see
/// [`co_broadcast_value_async`].
///
/// # Panics
/// If `Serialize` panics or fails, or if the heap has no room for the bytes. In `wait`, or when polled to the end, if `root` is no image,
/// or on `root` if `Deserialize` panics or fails.
///
/// The job ends with a report if images are found to call it with different types or roots, or if an image failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_gather_values_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let notes = run(2, || co_gather_values_async(&format!("image {}", this_image()), 0).wait());
/// assert_eq!(notes, [vec!["image 0", "image 1"], vec![]]);
/// ```
///
/// # Source
/// `MPI_Igatherv`, MPI 3.1 section 5.12.3, of values as in `gather` of Boost.MPI.
#[track_caller]
pub fn co_gather_values_async<T: Serialize + DeserializeOwned + 'static>(
    value: &T,
    root: usize,
) -> Cofuture<'static, Vec<T>> {
    let (operation, caller) = (Operation::CoGatherValues, Location::caller());
    let bytes = encoded(&name(operation, caller), value);
    let is_root = this_image() == root;
    AsyncCall::rooted(operation, root, caller)
        .post_bytes::<T>(0, &[&bytes])
        .then(all_for(root), move |contributions| match is_root {
            true => all_values(contributions, &name(operation, caller)),
            false => vec![],
        })
}

/// Collective. As [`co_gather_values_async`], but every image gets the values of all. With the feature `serde`.
///
/// Nothing is synchronised: an image has the values as soon as all images have made the call.
///
/// # Panics
/// If `Serialize` panics or fails, or if the heap has no room for the bytes. In `wait`, or when polled to the end, if `Deserialize`
/// panics or fails.
///
/// The job ends with a report if images are found to call it with different types, or if an image failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_allgather_values_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let all = run(2, || co_allgather_values_async(&Some(this_image())).wait());
/// assert_eq!(all, [[Some(0), Some(1)]; 2]);
/// ```
///
/// # Source
/// `MPI_Iallgatherv`, MPI 3.1 section 5.12.5, of values as in `all_gather` of Boost.MPI.
#[track_caller]
pub fn co_allgather_values_async<T: Serialize + DeserializeOwned + 'static>(
    value: &T,
) -> Cofuture<'static, Vec<T>> {
    let (operation, caller) = (Operation::CoAllgatherValues, Location::caller());
    let bytes = encoded(&name(operation, caller), value);
    AsyncCall::new(operation, caller)
        .post_bytes::<T>(0, &[&bytes])
        .then(all, move |contributions| {
            all_values(contributions, &name(operation, caller))
        })
}

/// How a panic calls the operation: it may come long after the call.
fn name(operation: Operation, caller: &Location<'_>) -> String {
    format!("{}_async at {caller}", operation.name())
}

fn all_values<T: DeserializeOwned>(contributions: &Contributions, name: &str) -> Vec<T> {
    let images = 0..contributions.team().images();
    images
        .map(|image| value_from(contributions, image, name))
        .collect()
}

fn value_from<T: DeserializeOwned>(contributions: &Contributions, image: usize, name: &str) -> T {
    // SAFETY: the images that are read post bytes in each of these operations.
    let bytes = unsafe { contributions.part::<u8>(image) };
    decoded(name, &bytes, image)
}
