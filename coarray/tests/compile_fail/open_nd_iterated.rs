//! Tried: iterate over the own part of an open array.
//!
//! To be told: that there are no local references to it, and how its own part is reached.

use coarray::NdCoarray;

#[coarray::main]
fn main() {
    let mut x = NdCoarray::<i32, 2>::zeroed([3, 4]);
    let x = x.open();
    println!("{}", x.iter().sum::<i32>());
}
