//! Every image says who it is, and which rows of 240 would be its own.
//!
//!     COARRAY_IMAGES=4 cargo run --release -p coarray-book --example hello_images

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let (me, images) = (this_image(), num_images());
    let rows = me * 240 / images..(me + 1) * 240 / images;
    println!("image {me} of {images}: rows {rows:?}");
}
