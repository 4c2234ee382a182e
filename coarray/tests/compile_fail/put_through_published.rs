//! Tried: put to a coarray that is published (*Coarray C++* section 3.3).
//!
//! To be told: that its corefs are read-only, and that `open` would let it put.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.publish();
    x.at(1)[0].put(42);
}
