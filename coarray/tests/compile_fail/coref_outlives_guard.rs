//! Tried: keep a place on another image, but not the guard it came from.
//!
//! To be told: that the guard ends in the same statement, and to give it a name.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let place = x.open().at(1);
    place[0].put(1);
}
