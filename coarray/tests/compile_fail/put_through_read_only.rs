//! Tried: put through a coref that was made read-only.
//!
//! To be told: that it can only be read, and where it lost the right to put.

use coarray::places::ReadOnly;
use coarray::prelude::*;

fn update(row: &Coref<[f64], ReadOnly>) {
    row[0].put(1.0);
}

#[coarray::main]
fn main() {
    let mut x = Coarray::<[f64]>::zeroed(5);
    let x = x.open();
    update(x.at(0).read_only());
}
