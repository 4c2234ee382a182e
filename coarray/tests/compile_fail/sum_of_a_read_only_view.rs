//! Tried: sum a view of an array that only reads.
//!
//! To be told: that the sums need a place where they can be left.

use coarray::ndarray::Array2;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let field = Array2::<f64>::zeros((3, 4));
    co_sum(&mut field.view());
}
