//! Nonblocking gather, allgather, scatter and alltoall with a different number of values on each image.

use std::panic::Location;

use coarray_coref::{Cofuture, Remote, Values};
use coarray_runtime::{Operation, Team, this_image};

use crate::asynchronous::request::{AsyncCall, Contributions, Posted, all, all_for};
use crate::part::{Part, bytes};

/// The words of a cache line. The elements start at a multiple of it.
const LINE: usize = 8;

/// Collective. Begins to gather the values of all images, of any number on each, on image `root`, whose cofuture has
/// them by image. The others get nothing.
///
/// Nothing is synchronised: `root` has the values as soon as all images have made the call, and the others are done
/// at once. Any number of asynchronous collectives may be outstanding; all images call them in the same order, and
/// each waits for them in any, or not at all.
///
/// # Panics
/// If the heap has no room for the values. In `wait`, or when polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types or roots, or if an image failed
/// before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_gatherv_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let gathered = run(3, || co_gatherv_async(vec![7; this_image()], 0).wait());
/// assert_eq!(gathered, [vec![vec![], vec![7], vec![7, 7]], vec![], vec![]]);
/// ```
///
/// # Source
/// `MPI_Igatherv`, MPI 3.1 section 5.12.3.
#[track_caller]
pub fn co_gatherv_async<V>(values: V, root: usize) -> Cofuture<'static, Vec<Vec<V::Element>>>
where
    V: Values + 'static,
{
    let is_root = this_image() == root;
    AsyncCall::rooted(Operation::CoGatherv, root, Location::caller())
        .post_part(0, values.elements())
        .then(all_for(root), move |contributions| {
            if is_root {
                // SAFETY: every image posts its elements.
                unsafe { by_image(contributions) }
            } else {
                Vec::new()
            }
        })
}

/// Collective. Begins to gather the values of all images, of any number on each, on every image, by image.
///
/// Nothing is synchronised: an image has the values as soon as all images have made the call; see
/// [`co_gatherv_async`].
///
/// # Panics
/// If the heap has no room for the values.
///
/// The job ends with a report if images are found to call it with different types, or if an image failed before it
/// did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_allgatherv_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let gathered = run(3, || co_allgatherv_async(vec![7; this_image()]).wait());
/// assert_eq!(gathered[1], [vec![], vec![7], vec![7, 7]]);
/// ```
///
/// # Source
/// `MPI_Iallgatherv`, MPI 3.1 section 5.12.5.
#[track_caller]
pub fn co_allgatherv_async<V>(values: V) -> Cofuture<'static, Vec<Vec<V::Element>>>
where
    V: Values + 'static,
{
    AsyncCall::new(Operation::CoAllgatherv, Location::caller())
        .post_part(0, values.elements())
        // SAFETY: every image posts its elements.
        .then(all, |contributions| unsafe { by_image(contributions) })
}

/// Collective. Begins to give each image the part with its number of `parts` of image `root`. The `parts` of the others
/// are not used.
///
/// Nothing is synchronised: an image has its part as soon as `root` has made the call, and `root` has it at once.
/// All else is as in [`co_gatherv_async`].
///
/// # Panics
/// On image `root`, if there are not as many parts as images; if the heap has no room for them. In `wait`, or when
/// polled to the end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types or roots, or if image `root` failed
/// before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_scatterv_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let received = run(3, || {
///     let parts = if this_image() == 2 { vec![vec![1], vec![2, 3], vec![]] } else { vec![] };
///     co_scatterv_async(parts, 2).wait()
/// });
/// assert_eq!(received, [vec![1], vec![2, 3], vec![]]);
/// ```
///
/// # Source
/// `MPI_Iscatterv`, MPI 3.1 section 5.12.4.
#[track_caller]
pub fn co_scatterv_async<T: Remote>(parts: Vec<Vec<T>>, root: usize) -> Cofuture<'static, Vec<T>> {
    let begin = AsyncCall::rooted(Operation::CoScatterv, root, Location::caller());
    let begun = if this_image() == root {
        post_parts(begin, Operation::CoScatterv, &parts)
    } else {
        begin.post_part::<T>(0, &[])
    };
    // SAFETY: the root called `post_parts` for `T`s.
    begun.then(
        |_| root..root + 1,
        move |contributions| unsafe { my_part(contributions, root) }.to_vec(),
    )
}

/// Collective. Begins to give each image, from every image, the part with its number; the cofuture has those for
/// this image, by image.
///
/// Nothing is synchronised: an image has its parts as soon as all images have made the call; see
/// [`co_gatherv_async`].
///
/// # Panics
/// If there are not as many parts as images, or the heap has no room for them.
///
/// The job ends with a report if images are found to call it with different types, or if an image failed before it
/// did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_alltoallv_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let received = run(2, || {
///     let me = this_image();
///     co_alltoallv_async(vec![vec![me; 2], vec![me + 10]]).wait()
/// });
/// assert_eq!(received, [[vec![0, 0], vec![1, 1]], [vec![10], vec![11]]]);
/// ```
///
/// # Source
/// `MPI_Ialltoallv`, MPI 3.1 section 5.12.6.
#[track_caller]
pub fn co_alltoallv_async<T: Remote>(parts: Vec<Vec<T>>) -> Cofuture<'static, Vec<Vec<T>>> {
    let begin = AsyncCall::new(Operation::CoAlltoallv, Location::caller());
    post_parts(begin, Operation::CoAlltoallv, &parts).then(all, |contributions| {
        (0..contributions.team().images())
            // SAFETY: every image called `post_parts` for `T`s.
            .map(|from| unsafe { my_part(contributions, from) }.to_vec())
            .collect()
    })
}

/// The parts of all images.
///
/// # Safety
/// Every image whose call is the same posts `T`s.
unsafe fn by_image<T: Remote>(contributions: &Contributions) -> Vec<Vec<T>> {
    (0..contributions.team().images())
        // SAFETY: the caller vouches that every image whose call is the same posts `T`s.
        .map(|index| unsafe { contributions.part::<T>(index) }.to_vec())
        .collect()
}

/// Posts a part for each image: a table of the index at which each part starts, and then the elements.
#[track_caller]
fn post_parts<T: Remote>(begin: AsyncCall, operation: Operation, parts: &[Vec<T>]) -> Posted {
    let images = Team::current().images();
    assert!(
        parts.len() == images,
        "{}_async of {} parts, but there are {images} images",
        operation.name(),
        parts.len()
    );
    let mut table = Vec::with_capacity(table_words(images));
    table.push(0);
    for part in parts {
        table.push(table[table.len() - 1] + part.len() as u64);
    }
    table.resize(table_words(images), 0);
    let pieces: Vec<&[u8]> = std::iter::once(bytes(&table))
        .chain(parts.iter().map(|part| bytes(part)))
        .collect();
    begin.post_bytes::<T>(0, &pieces)
}

fn table_words(images: usize) -> usize {
    (images + 1).next_multiple_of(LINE)
}

/// The part that image `from` has for this one.
///
/// # Safety
/// Image `from` called [`post_parts`] for `T`s.
unsafe fn my_part<T: Remote>(contributions: &Contributions, from: usize) -> Part<'_, T> {
    let (me, images) = (contributions.team().index(), contributions.team().images());
    // SAFETY: the caller vouches for `post_parts`: a table of words comes first, which is whole cache lines, and then `T`s.
    unsafe {
        let table = contributions.part_in::<u64>(from, me..me + 2);
        let range = table[0] as usize..table[1] as usize;
        contributions.part_behind(from, table_words(images) * size_of::<u64>(), range)
    }
}
