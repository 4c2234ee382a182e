//! Tried: reach another image's part of a coarray that nobody opened.
//!
//! To be told: that it is closed, and to `open` or `publish` it.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[[i32; 20]; 10]>::zeroed();
    x.at(1)[3][4].put(42);
}
