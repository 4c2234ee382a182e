//! Tried: make a coarray of vectors, say to have a different length on each image.
//!
//! To be told: that `Vec<u8>` cannot live in a coarray, what can, and about `Ragged`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let _x = Coarray::new(vec![0u8; 100]);
}
