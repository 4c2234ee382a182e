//! Tried: open a coarray of coatomics.
//!
//! To be told: that `open` is for values that travel, and a coatomic is none.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut hits = Coarray::new(Coatomic::new(0u64));
    let hits = hits.open();
    hits.at(1).fetch_add(1);
}
