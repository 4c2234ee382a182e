//! Tried: select a row by a number that is no index.
//!
//! To be told: what selects a part of a dimension.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[f64; 5]; 4]>::zeroed();
    let x = x.open();
    x.at(0).region((1.5, ..)).fill(1.0);
}
