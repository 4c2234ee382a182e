//! Tried: give a function that writes through a copointer one that is read-only.
//!
//! To be told: that they are different types.

use coarray::prelude::*;

fn fill(first: Coptr<u32>) {
    // SAFETY: the coarray of `main` is open.
    unsafe { first.as_coref() }.unwrap().put(7);
}

#[coarray::main]
fn main() {
    let mut x = Coarray::new([0u32; 5]);
    let x = x.publish();
    fill(x.at(0)[2].address());
}
