//! Tried: keep a region when the phase of its coarray is over.
//!
//! To be told: that the region borrows the guard.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[i32; 5]; 4]>::zeroed();
    let edge = {
        let x = x.open();
        x.at(0).region((0, ..))
    };
    edge.fill(1);
}
