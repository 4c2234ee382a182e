//! Tried: scatter values over a published coarray.
//!
//! To be told: that it can only be read.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[f64]>::zeroed(5);
    let x = x.publish();
    x.global().scatter_to(&[7, 3], &[1.0, 2.0]);
}
