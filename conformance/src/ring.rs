//! Images as neighbours on a ring: in a job of one image it is its own neighbour.

use coarray::{num_images, this_image};

/// The image `distance` to the right of this one.
#[must_use]
pub fn right(distance: usize) -> usize {
    (this_image() + distance) % num_images()
}

/// The image `distance` to the left of this one.
#[must_use]
pub fn left(distance: usize) -> usize {
    (this_image() + num_images() - distance % num_images()) % num_images()
}

/// The image that forms a pair with this one; itself if it has no partner.
#[must_use]
pub fn partner() -> usize {
    match this_image() ^ 1 {
        partner if partner < num_images() => partner,
        _ => this_image(),
    }
}
