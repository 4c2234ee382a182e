//! The small programs as their users start them, against serial models of what they compute.

mod hello;
mod histogram;
mod index_gather;
mod matrix_multiply;
mod permutation;
mod pi;
mod pipeline;
mod ring;
mod sample_sort;
mod work_queue;

use testing::programs::IMAGES;

/// Calls `body` with each fabric of one machine and each number of images.
fn on_all_images(mut body: impl FnMut(&str, usize)) {
    for fabric in ["processes", "threads"] {
        for images in IMAGES {
            body(fabric, images);
        }
    }
}
