//! Tried: put a float in the place of an integer.
//!
//! To be told: both types.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 20]>::zeroed();
    let x = x.open();
    x.at(1)[5].put(1.5);
}
