//! Tried: name the first dimension of a matrix only.
//!
//! To be told: that all dimensions are named.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[f64; 5]]>::zeroed(4);
    let x = x.open();
    x.at(0).region((1..3,)).fill(1.0);
}
