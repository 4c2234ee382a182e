//! Order and completion of what an image puts, without waiting for other images.

use coarray_fabric::Team;

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
#[track_caller]
pub fn fence(image: usize) {
    let team = Team::current();
    let Some(&number) = team.members().get(image) else {
        panic!(
            "there is no image {image}: the images are numbered 0 to {}",
            team.images() - 1
        )
    };
    team.image().fabric().fence(number as usize);
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
#[track_caller]
pub fn quiet() {
    Team::current().image().fabric().quiet();
}
