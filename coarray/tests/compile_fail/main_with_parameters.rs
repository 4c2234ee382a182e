//! Tried: let the entry point take the number of its image.
//!
//! To be told: to ask `this_image` for it.

#[coarray::main]
fn main(image: usize) {
    println!("image {image}");
}
