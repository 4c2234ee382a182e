//! Nonblocking reproducible sums.

use std::panic::Location;

use coarray_coref::{Cofuture, Remote, Values, ValuesMut};
use coarray_runtime::Operation;

use crate::asynchronous::request::{AsyncCall, Contributions, all};
use crate::exact_sum::{Addend, Superaccumulator, sum_columns};
use crate::part::Part;

/// Collective. Begins to add the values of all images, element by element, with one rounding at the end; the cofuture
/// has the sums.
///
/// They are the same bits as those of [`co_sum_reproducible`](crate::co_sum_reproducible). It synchronises as little as
/// [`co_sum_async`](crate::co_sum_async).
///
/// # Panics
/// If the heap has no room for the values.
///
/// The job ends with a report if images are found to call it with different types or lengths, or if an image
/// failed before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_sum_reproducible_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let addends = [1e100, 1.0, -1e100];
/// let sums = run(3, || co_sum_reproducible_async(addends[this_image()]).wait());
/// assert_eq!(sums, [1.0; 3]);
/// ```
///
/// # Source
/// As [`co_sum_reproducible`](crate::co_sum_reproducible); `MPI_Iallreduce`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_sum_reproducible_async<V>(values: V) -> Cofuture<'static, V>
where
    V: ValuesMut + 'static,
    V::Element: Addend,
{
    let mut values = values;
    AsyncCall::new(Operation::CoSumReproducible, Location::caller())
        .post(values.elements())
        .then(all, move |contributions| {
            sum_columns(&slices(&parts(contributions)), values.elements_mut());
            values
        })
}

/// Collective. Begins to add all elements of all images, with one rounding at the end; the cofuture has the sum.
///
/// It is the same bits as that of [`co_total_reproducible`](crate::co_total_reproducible). It synchronises as little as
/// [`co_sum_async`](crate::co_sum_async).
///
/// # Panics
/// If the heap has no room for the contribution of 600 bytes.
///
/// The job ends with a report if images are found to call it with different types, or if an image failed before it
/// did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_total_reproducible_async;
/// use coarray_launch::run;
///
/// let totals = run(3, || co_total_reproducible_async(&[1e100, 0.5, -1e100]).wait());
/// assert_eq!(totals, [1.5; 3]);
/// ```
///
/// # Source
/// As [`co_total_reproducible`](crate::co_total_reproducible); `MPI_Iallreduce`, MPI 3.1 section 5.12.8.
#[track_caller]
pub fn co_total_reproducible_async<V>(values: &V) -> Cofuture<'static, V::Element>
where
    V: ?Sized + Values,
    V::Element: Addend,
{
    let mut sum = Superaccumulator::new();
    sum.add_all(values.elements());
    AsyncCall::new(Operation::CoTotalReproducible, Location::caller())
        .post_words::<V::Element>(&sum.into_words())
        .then(all, |contributions| {
            Superaccumulator::merged(&slices(&parts(contributions))).round()
        })
}

/// The `T`s that every image posted.
fn parts<T: Remote>(contributions: &Contributions) -> Vec<Part<'_, T>> {
    // SAFETY: both operations of this file post `T`s on all images: the addends, or the words of an accumulator.
    let part = |image| unsafe { contributions.part(image) };
    (0..contributions.team().images()).map(part).collect()
}

fn slices<'a, T: Remote>(parts: &'a [Part<'_, T>]) -> Vec<&'a [T]> {
    parts.iter().map(|part| &**part).collect()
}
