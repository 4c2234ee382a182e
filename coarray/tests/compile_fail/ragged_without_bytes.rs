//! Tried: a ragged coarray of arrays without items.
//!
//! To be told: that these have no bytes.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let runs = Ragged::<[u8; 0]>::from_fn(usize::MAX, |_| []);
    println!("{}", runs.len());
}
