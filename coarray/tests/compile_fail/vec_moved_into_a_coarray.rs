//! Tried: put a vector into a coarray, and use it there.
//!
//! To be told: that a vector cannot live in a coarray, and what can.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::new(vec![0.0; 10]);
    let open = x.open();
    open.at(0)[0].put(1.0);
}
