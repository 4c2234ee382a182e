//! Every image says hello, and image 0 hears of all.
//!
//! ```text
//! cargo run --release --example hello
//! COARRAY_IMAGES=5 COARRAY_FABRIC=threads cargo run --release --example hello
//! ```
//!
//! Shows: that all images run the same program, and how one reaches the memory of another. The lines may come in any
//! order.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let (me, images) = (this_image(), num_images());
    println!(
        "hello from image {me} of {images}, in process {}",
        std::process::id()
    );

    // One for each image, on every image; only those of image 0 are used.
    let mut processes = Coarray::<[u32]>::zeroed(images);
    let open = processes.open();
    open.at(0)[me].put(std::process::id());
    drop(open); // all puts have arrived

    if me == 0 {
        assert!(processes.iter().all(|&process| process != 0));
        let mut different = processes.to_vec();
        different.sort_unstable();
        different.dedup();
        println!(
            "image 0 has heard of all; images: {}, processes: {}",
            processes.len(),
            different.len()
        );
    }
}
