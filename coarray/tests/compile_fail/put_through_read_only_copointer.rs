//! Tried: put through a copointer that was made read-only.
//!
//! To be told: that its place can only be read.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::new([0u32; 5]);
    let x = x.open();
    let place = x.at(0)[2].address().read_only();
    // SAFETY: `x` is open.
    unsafe { place.as_coref() }.unwrap().put(7);
}
