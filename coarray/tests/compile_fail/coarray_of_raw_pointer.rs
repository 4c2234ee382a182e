//! Tried: make a coarray of pointers.
//!
//! To be told: that `*const i32` cannot live in a coarray, what can, and about `Ragged`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let _x = Coarray::new(std::ptr::null::<i32>());
}
