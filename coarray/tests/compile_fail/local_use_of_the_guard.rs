//! Tried: index the guard of an open coarray, or assign through it, as if it were the coarray.
//!
//! To be told: that a guard is not indexed; `here` is the own part, `at` that of another image.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    println!("{}", x[0]);
}
