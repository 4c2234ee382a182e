//! Tried: atomic operations on an array of plain values, as if there were an instruction for it.
//!
//! To be told: for which values there is one, and to make a coarray of coatomics.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut best = Coarray::new([0.0, 1.0]);
    let best = best.open();
    best.at(1).as_atomic().store([0.5, 2.0]);
}
