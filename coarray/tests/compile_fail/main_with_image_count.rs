//! Tried: write the number of images into the program.
//!
//! To be told: that it is chosen when the program starts.

#[coarray::main(images = 4)]
fn main() {}
