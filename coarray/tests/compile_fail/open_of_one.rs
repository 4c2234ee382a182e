//! Tried: open one coarray with the function that is for several.
//!
//! To be told: about `x.open()`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = coarray::open(&mut x);
    x.at(1)[0].put(1);
}
