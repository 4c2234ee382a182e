//! Tried: a halo array of texts.
//!
//! To be told: a text cannot travel between images, and what can.

use coarray::grid::{Blocks, HaloArray, ImageGrid};

#[coarray::main]
fn main() {
    let blocks = Blocks::new([100], ImageGrid::balanced()).unwrap();
    let names = HaloArray::filled(&blocks, 1, String::new()).unwrap();
    drop(names);
}
