//! Tried: make a coarray of zeros of a type that has no zero.
//!
//! To be told: that zero bytes are no value of it, and to use `new`.

use coarray::prelude::*;
use std::num::NonZeroU32;

#[coarray::main]
fn main() {
    let x = Coarray::<NonZeroU32>::zeroed();
    println!("{}", x.get());
}
