//! Tried: put to a region of a published coarray.
//!
//! To be told: that it can only be read, and that `open` lets images put.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[f64; 5]; 4]>::zeroed();
    let x = x.publish();
    x.at(0).region((1..3, ..)).fill(1.0);
}
