//! Tried: make a coarray of zeroed vectors, one per item.
//!
//! To be told: that `Vec<f64>` cannot travel, what can, and about `Ragged`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let _x = Coarray::<[Vec<f64>; 4]>::zeroed();
}
