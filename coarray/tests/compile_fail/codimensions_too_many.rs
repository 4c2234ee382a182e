//! Tried: name an image of a grid of two dimensions, in rows of three, by three coordinates.
//!
//! To be told: that there are two.

use coarray::grid::ImageGrid;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let grid = ImageGrid::in_rows_of(3).unwrap();
    let mut x = Coarray::new(0);
    let x = x.open();
    x.on(&grid).at([0, 1, 2]).put(5);
}
