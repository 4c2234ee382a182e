//! The barrier of all images, and the fence.

use std::panic::Location;

use coarray_fabric::{Call, Image, ImageFailed, Operation, Team};

/// Collective. Waits until all images of the current team have called it; what any image wrote or put before
/// is visible to every image afterwards.
///
/// If another image is in a different collective operation, or has ended or failed, the job ends with a
/// report.
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

/// Collective. As [`sync_all`], but failed images do not end the job.
///
/// # Errors
/// The images that failed before they came to this call, the same on all others, which have synchronised. An
/// image that failed after it had called is not among them: it did its part.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_fabric::{Launch, fail_image, this_image};
/// use coarray_sync::try_sync_all;
///
/// let survivors = Launch::new(3).keep_going(true).run(|| {
///     if this_image() == 1 {
///         fail_image();
///     }
///     try_sync_all().unwrap_err().images
/// });
/// assert_eq!(survivors.unwrap(), [[1], [1]]);
/// ```
///
/// # Source
/// Fortran 2018 `sync all` with `stat`, clause 11.6.11.
#[track_caller]
pub fn try_sync_all() -> Result<(), ImageFailed> {
    let call = Call::plain(Operation::SyncAll, Location::caller());
    // SAFETY: no layer relies on anything an image did before `sync_all`.
    unsafe { Team::current().try_meet(&call) }
}

/// Local. Completes this image's operations, as [`quiet`](crate::quiet) does: its puts are visible to all images
/// before anything it puts later.
///
/// Where images are on several nodes it also lets others go on that reach this image's memory: the engine may need this
/// image's help for that. So a loop that looks at the image's own memory until others have put something there
/// calls it each time.
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
    Image::with_current(|image| {
        image.poll();
        image.fabric().quiet();
    });
}
