//! The share of each image in items of one dimension.

use std::ops::Range;

use coarray_runtime::{num_images, this_image};

use super::blocks::part;

/// Local. Which of `items` items are this image's, if they are divided among the images of the current team: shares differ by one
/// item at most, the longer ones come first, and with fewer items than images the last images have none.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray::grid::share;
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut sum: usize = share(100).sum(); // no grid, no array: a loop over this image's share
///     co_sum(&mut sum);
///     assert_eq!(sum, 4950);
///     assert_eq!(share(2).len(), [1, 1, 0][this_image()]);
/// });
/// ```
///
/// # Source
/// As [`Blocks`](super::Blocks), for one dimension.
#[must_use]
#[track_caller]
pub fn share(items: usize) -> Range<usize> {
    part(items, num_images(), this_image())
}

/// Local. Which of `items` items are those of `image`, as [`share`] of it.
///
/// # Panics
/// If there is no such image; on a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray::grid::share_of;
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let starts: Vec<_> = (0..4).map(|image| share_of(10, image).start).collect();
///     assert_eq!(starts, [0, 3, 6, 8]);
/// });
/// ```
///
/// # Source
/// As [`share`].
#[must_use]
#[track_caller]
pub fn share_of(items: usize, image: usize) -> Range<usize> {
    let images = num_images();
    assert!(
        image < images,
        "there is no image {image}: the team has {images}"
    );
    part(items, images, image)
}
