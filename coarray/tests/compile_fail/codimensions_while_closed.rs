//! Tried: reach the part of an image of a grid while the coarray is closed.
//!
//! To be told: that it must be open.

use coarray::grid::ImageGrid;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let grid = ImageGrid::<2>::balanced();
    let x = Coarray::<[f64]>::zeroed(5);
    x.on(&grid).at([0, 0])[3].put(1.0);
}
