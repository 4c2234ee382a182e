//! Tried: make a coarray of text (*Coarray C++* section 3.4).
//!
//! To be told: that `String` cannot live in a coarray, what can, and about `Ragged`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let _x = Coarray::new(String::new());
}
