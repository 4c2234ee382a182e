//! The barrier of all images, and the fence.

use std::panic::Location;

use coarray_runtime::{Call, Image, ImageFailed, Operation, Team};

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
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let mut x = Coarray::new(0);
///     let x = x.open();
///     for step in 1..10 {
///         x.at((this_image() + 1) % 4).put(step);
///         sync_all();
///         assert_eq!(x.here().get(), step); // what others put here has arrived
///         sync_all(); // and is not overwritten before it was read
///     }
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 6.1; Fortran `sync all`.
#[track_caller]
pub fn sync_all() {
    let call = Call::plain(Operation::SyncAll, Location::caller());
    // SAFETY: no layer relies on anything that an image did before `sync_all`.
    unsafe { Team::current().barrier(&call) }
}

/// Collective. As [`sync_all`], but failed images do not end the job.
///
/// # Errors
/// The images that failed before they made this call; the same on all others, which have synchronised. An image that failed
/// after its call is not among them.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_launch::Launch;
/// use coarray_runtime::{fail_image, this_image};
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
    // SAFETY: no layer relies on anything that an image did before `sync_all`.
    unsafe { Team::current().try_barrier(&call) }
}

/// Local. Completes this image's operations, as [`quiet`](crate::quiet) does: its puts are visible to all images
/// before anything it puts later.
///
/// Where images are on several nodes it also makes progress for images that access this image's memory, which the fabric may
/// need. So a loop that polls the image's own memory until others have put something there calls it each time.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray::image_fence;
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let flag = Coarray::new(Coatomic::new(false));
///     let mut x = Coarray::new(0);
///     let x = x.open();
///     if this_image() == 0 {
///         x.at(1).put(42);
///         image_fence(); // 42 before the flag
///         flag.at(1).store(true);
///     } else {
///         flag.wait_until(|flag| flag);
///         image_fence(); // what is read below after the flag
///         assert_eq!(x.here().get(), 42);
///     }
/// });
/// ```
///
/// # Source
/// `atomic_image_fence`, *Coarray C++* section 5.1; Fortran `sync memory`.
#[track_caller]
pub fn image_fence() {
    let caller = Location::caller();
    Image::with_current(|image| {
        image.poll();
        image.fabric().quiet();
        image.check_fence(None, caller);
    });
}
