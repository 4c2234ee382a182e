//! Tried: set bits of floats by a list of indices.
//!
//! To be told: which values have atomic logic.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[Coatomic<f64>]>::from_fn(10, |_| Coatomic::new(0.0));
    x.at(0).or_at(&[1, 2], &[0.5, 0.25]);
}
