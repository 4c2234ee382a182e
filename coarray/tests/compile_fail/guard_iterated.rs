//! Tried: iterate over the own part of an open coarray.
//!
//! To be told: that there are no local references to it, and how its own part is got.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32]>::zeroed(10);
    let x = x.open();
    println!("{}", x.iter().sum::<i32>());
}
