//! Tried: iterate over the own one of open runs.
//!
//! To be told: that there are no local references to it, and how its own part is reached.

use coarray::Ragged;

#[coarray::main]
fn main() {
    let mut x = Ragged::from_fn(10, |_| 0);
    let x = x.open();
    println!("{}", x.iter().sum::<i32>());
}
