//! Tried: assign to a place on another image, as to a local one.
//!
//! To be told: that the place is a `Coref`, whose methods say the rest.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    x.at(1)[0] = 42;
}
