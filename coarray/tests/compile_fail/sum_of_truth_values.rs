//! Tried: add up truth values.
//!
//! To be told: that `co_count` counts them.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut converged = this_image() > 0;
    co_sum(&mut converged);
}
