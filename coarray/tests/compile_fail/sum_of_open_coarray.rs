//! Tried: reduce a coarray that is open.
//!
//! To be told: that collectives work on closed coarrays.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    let mut x = x.open();
    co_sum(&mut x);
}
