//! Tried: write to the own part of a coarray that is published.
//!
//! To be told: that it can only be read.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.publish();
    x[0] = 42;
}
