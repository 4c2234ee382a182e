//! Order and completion of what an image puts, without waiting for other images.

use std::sync::atomic::{self, Ordering};

use coarray_fabric::{Team, complete_and_fence, has_issued, num_images};

/// Local. Orders this image's puts to `image`, an index in the current team, before its later puts to it:
/// who sees one of these sees all of those.
///
/// Completes what was issued to `image` by asynchronous operations.
///
/// # Panics
/// On a thread that is not an image, or if there is no such image.
///
/// # Examples
/// ```
/// coarray_fabric::run(2, || {
///     // ... put data to image 1 ...
///     coarray_sync::fence(1);
///     // ... put to image 1 that the data is there ...
/// });
/// ```
///
/// # Source
/// `shmem_fence`, OpenSHMEM 1.5 section 9.12, for one image.
#[inline]
#[track_caller]
pub fn fence(image: usize) {
    if image >= num_images() {
        no_such_image(image);
    }
    if has_issued() {
        complete_on(image);
    }
    atomic::fence(Ordering::Release);
}

#[cold]
#[inline(never)]
fn complete_on(image: usize) {
    let team = Team::current();
    let number = team.members()[image] as usize;
    team.image().fabric().fence(number);
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_such_image(image: usize) -> ! {
    panic!(
        "there is no image {image}: the images are numbered 0 to {}",
        num_images() - 1
    )
}

/// Local. Completes all operations of this image, asynchronous ones included, on all images: what it put is
/// visible to all images before anything it puts later.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// coarray_fabric::run(2, || {
///     // ... issue puts, and drop their cofutures ...
///     coarray_sync::quiet();
///     // ... the puts are complete ...
/// });
/// ```
///
/// # Source
/// `shmem_quiet`, OpenSHMEM 1.5 section 9.12.
#[inline]
#[track_caller]
pub fn quiet() {
    complete_and_fence();
}
