//! Tried: name three dimensions of a matrix.
//!
//! To be told: that the matrix does not have three.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[f64; 5]; 4]>::zeroed();
    let x = x.open();
    x.at(0).region((1..3, .., 2)).fill(1.0);
}
