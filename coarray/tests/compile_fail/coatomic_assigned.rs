//! Tried: assign to the own part of a coarray of coatomics, which other images may use at any moment.
//!
//! To be told: that there is no `&mut` to it.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let hits = Coarray::new(Coatomic::new(0u64));
    *hits = Coatomic::new(1);
}
