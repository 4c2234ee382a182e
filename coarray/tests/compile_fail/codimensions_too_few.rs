//! Tried: name an image of a grid of two dimensions by one coordinate.
//!
//! To be told: that there are two.

use coarray::grid::ImageGrid;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let grid = ImageGrid::<2>::balanced();
    let mut x = Coarray::new(0);
    let x = x.open();
    x.on(&grid).at([1]).put(5);
}
