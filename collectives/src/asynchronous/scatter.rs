//! Nonblocking scatter: the values of one image divided among all, in equal shares.

use std::panic::Location;

use coarray_coref::{Cofuture, Remote};
use coarray_runtime::{Operation, Team};

use crate::asynchronous::request::{AsyncCall, share_length};

/// Collective. Begins to divide `parts` of image `root` among all images, in equal shares and in the order of the
/// images; the cofuture has the share of this image. The `parts` of the others are not used.
///
/// Nothing is synchronised: an image has its share as soon as `root` has made the call, and `root` has it at once.
/// Any number of asynchronous collectives may be outstanding; all images call them in the same order, and each waits
/// for them in any, or not at all.
///
/// # Panics
/// On image `root`, if the images cannot get equal shares; if the heap has no room. In `wait`, or when polled to the
/// end, if `root` is no image.
///
/// The job ends with a report if images are found to call it with different types or roots, or if image `root` failed
/// before it did.
///
/// # Examples
/// ```
/// use coarray_collectives::co_scatter_async;
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let shares = run(3, || {
///     let parts = if this_image() == 1 { (0..6).collect() } else { vec![] };
///     co_scatter_async(parts, 1).wait()
/// });
/// assert_eq!(shares, [[0, 1], [2, 3], [4, 5]]);
/// ```
///
/// # Source
/// `MPI_Iscatter`, MPI 3.1 section 5.12.4.
#[track_caller]
pub fn co_scatter_async<T: Remote>(parts: Vec<T>, root: usize) -> Cofuture<'static, Vec<T>> {
    let team = Team::current();
    let (me, images) = (team.index(), team.images());
    let part = if me == root {
        share_length(Operation::CoScatter, parts.len(), images);
        parts.as_slice()
    } else {
        &[]
    };
    AsyncCall::rooted(Operation::CoScatter, root, Location::caller())
        .post_part(1, part)
        .then(
            |_| root..root + 1,
            move |contributions| {
                let share = contributions.length::<T>(root) / images;
                // SAFETY: the root posts `T`s.
                unsafe { contributions.part_in::<T>(root, share * me..share * (me + 1)) }.to_vec()
            },
        )
}
