//! Tried: count on another image in a plain number, without opening the coarray.
//!
//! To be told: that it is closed, and to `open` it.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let hits = Coarray::new(0u64);
    hits.at(1).as_atomic().add(1);
}
