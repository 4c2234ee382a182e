//! Tried: make a coarray of string constants.
//!
//! To be told: that `&'static str` cannot live in a coarray, what can, and about `Ragged`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let _x = Coarray::new("hello");
}
