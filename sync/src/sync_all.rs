//! The barrier of all images, and the fence.

use std::panic::Location;

use coarray_fabric::{Call, Image, Operation, Team};

/// Collective. Waits until all images have called it; what any image wrote or put before is visible to
/// every image afterwards.
///
/// If another image is in a different collective operation, or has ended, the job ends with a report of
/// both.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// coarray_fabric::run(4, || {
///     // ... put something to another image ...
///     coarray_sync::sync_all();
///     // ... what others put here has arrived ...
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 6.1; Fortran `sync all`.
#[track_caller]
pub fn sync_all() {
    let call = Call::plain(Operation::SyncAll, Location::caller());
    // SAFETY: no layer relies on anything an image did before `sync_all`.
    unsafe { Team::current().meet(&call) }
}

/// Local. Completes this image's operations, as [`quiet`](crate::quiet) does: its puts are visible to all images
/// before anything it puts later.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// coarray_fabric::run(2, coarray_sync::image_fence);
/// ```
///
/// # Source
/// `atomic_image_fence`, *Coarray C++* section 5.1; Fortran `sync memory`.
#[track_caller]
pub fn image_fence() {
    Image::current().fabric().quiet();
}
