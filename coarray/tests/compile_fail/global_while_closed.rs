//! Tried: count into an array that all images have together while it is closed.
//!
//! To be told: that it must be open.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[u64]>::zeroed(5);
    x.global().at(7).put(1);
}
