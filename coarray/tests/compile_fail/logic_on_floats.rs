//! Tried: mask the bits of a float on another image.
//!
//! To be told: which values have bits, and how others are changed.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::new(Coatomic::new(1.5));
    x.at(1).fetch_and(0.5);
}
