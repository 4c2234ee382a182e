//! Tried: count in a coarray that is published, and so only read.
//!
//! To be told: that it can only be read, and to open it instead.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut hits = Coarray::new([0u64; 4]);
    let hits = hits.publish();
    hits.at(1)[2].as_atomic().add(1);
}
