//! Tried: make a coarray of boxed values.
//!
//! To be told: that `Box<i32>` cannot live in a coarray, what can, and about `Ragged`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let _x = Coarray::new(Box::new(7));
}
