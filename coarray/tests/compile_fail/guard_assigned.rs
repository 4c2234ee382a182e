//! Tried: assign to an item of an open coarray by its guard.
//!
//! To be told: that there are no local references to it, and how its own part is put to.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    x[0] = 1;
}
