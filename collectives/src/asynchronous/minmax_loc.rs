//! Nonblocking search for the smallest and the largest values of all images, and where they are.

use std::panic::Location;

use coarray_coref::{Cofuture, ValuesMut};
use coarray_runtime::{Operation, Team, this_image};

use crate::asynchronous::request::{AsyncCall, all, fold_up_to};
use crate::minmax::{is_larger, is_smaller};
use crate::minmax_loc::{Located, located, separate};

/// Collective. Begins to find the smallest of all images' values, element by element, and the place that came with each; the
/// cofuture has both.
///
/// Which of several is the smallest is as in [`co_min_loc`](crate::co_min_loc), all else as in
/// [`co_min_async`](crate::co_min_async).
///
/// # Panics
/// If there are not as many places as values, or the heap has no room for both. In `wait`, or when polled to the end, where a
/// comparison does.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_min_loc_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let found = run(3, || co_min_loc_async(10 * this_image(), this_image() as u32).wait());
/// assert_eq!(found, [(0, 0); 3]);
/// ```
///
/// # Source
/// `MPI_Iallreduce` with `MPI_MINLOC`, MPI 3.1 sections 5.9.4 and 5.12.8.
#[track_caller]
pub fn co_min_loc_async<V, P>(values: V, places: P) -> Cofuture<'static, (V, P)>
where
    V: ValuesMut<Element: PartialOrd> + 'static,
    P: ValuesMut + 'static,
{
    locate(Operation::CoMinLoc, values, places, None, is_smaller)
}

/// Collective. As [`co_min_loc_async`], for image `root`, whose cofuture has the results. The others get their own values and
/// places back, and are done at once.
///
/// # Panics
/// As [`co_min_loc_async`]. In `wait`, or when polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_min_loc_to_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let found = run(3, || co_min_loc_to_async(10 * this_image(), this_image() as u32, 1).wait());
/// assert_eq!(found, [(0, 0), (0, 0), (20, 2)]);
/// ```
///
/// # Source
/// `MPI_Ireduce` with `MPI_MINLOC`, MPI 3.1 sections 5.9.4 and 5.12.7.
#[track_caller]
pub fn co_min_loc_to_async<V, P>(values: V, places: P, root: usize) -> Cofuture<'static, (V, P)>
where
    V: ValuesMut<Element: PartialOrd> + 'static,
    P: ValuesMut + 'static,
{
    locate(
        Operation::CoMinLocTo,
        values,
        places,
        Some(root),
        is_smaller,
    )
}

/// Collective. Begins to find the largest of all images' values, element by element, and the place that came with each; the
/// cofuture has both.
///
/// Which of several is the largest is as in [`co_max_loc`](crate::co_max_loc), all else as in
/// [`co_max_async`](crate::co_max_async).
///
/// # Panics
/// If there are not as many places as values, or the heap has no room for both. In `wait`, or when polled to the end, where a
/// comparison does.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_max_loc_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let found = run(3, || co_max_loc_async(10 * this_image(), this_image() as u32).wait());
/// assert_eq!(found, [(20, 2); 3]);
/// ```
///
/// # Source
/// `MPI_Iallreduce` with `MPI_MAXLOC`, MPI 3.1 sections 5.9.4 and 5.12.8.
#[track_caller]
pub fn co_max_loc_async<V, P>(values: V, places: P) -> Cofuture<'static, (V, P)>
where
    V: ValuesMut<Element: PartialOrd> + 'static,
    P: ValuesMut + 'static,
{
    locate(Operation::CoMaxLoc, values, places, None, is_larger)
}

/// Collective. As [`co_max_loc_async`], for image `root`, whose cofuture has the results. The others get their own values and
/// places back, and are done at once.
///
/// # Panics
/// As [`co_max_loc_async`]. In `wait`, or when polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types, lengths or roots, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_max_loc_to_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let found = run(3, || co_max_loc_to_async(10 * this_image(), this_image() as u32, 1).wait());
/// assert_eq!(found, [(0, 0), (20, 2), (20, 2)]);
/// ```
///
/// # Source
/// `MPI_Ireduce` with `MPI_MAXLOC`, MPI 3.1 sections 5.9.4 and 5.12.7.
#[track_caller]
pub fn co_max_loc_to_async<V, P>(values: V, places: P, root: usize) -> Cofuture<'static, (V, P)>
where
    V: ValuesMut<Element: PartialOrd> + 'static,
    P: ValuesMut + 'static,
{
    locate(Operation::CoMaxLocTo, values, places, Some(root), is_larger)
}

#[track_caller]
fn locate<V, P>(
    operation: Operation,
    values: V,
    places: P,
    root: Option<usize>,
    is_better: impl Fn(&V::Element, &V::Element) -> bool + 'static,
) -> Cofuture<'static, (V, P)>
where
    V: ValuesMut + 'static,
    P: ValuesMut + 'static,
{
    let (mut values, mut places) = (values, places);
    let mut best = located(operation, &values, &places);
    let call = match root {
        None => AsyncCall::new(operation, Location::caller()),
        Some(root) => AsyncCall::rooted(operation, root, Location::caller()),
    };
    let is_for_me = root.is_none_or(|root| root == this_image());
    let needs = move |team: &Team| if is_for_me { all(team) } else { 0..0 };
    call.post(&best).then(needs, move |contributions| {
        if is_for_me {
            let (last, range) = (contributions.team().images() - 1, 0..best.len());
            let choose = |first, second| Located::choose(first, second, &is_better);
            // SAFETY: every image posts all its pairs; their number is the same on all.
            unsafe { fold_up_to(contributions, last, range, &mut best, &choose) };
            separate(&best, &mut values, &mut places);
        }
        (values, places)
    })
}
