//! Tried: add to a coatomic on another image by `+=`.
//!
//! To be told: `add`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let hits = Coarray::new([Coatomic::new(0u64), Coatomic::new(0)]);
    hits.at(1)[0] += 1;
}
