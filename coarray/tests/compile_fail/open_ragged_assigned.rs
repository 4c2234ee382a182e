//! Tried: assign to an item of open runs by their guard.
//!
//! To be told: that there are no local references to it, and how its own part is reached.

use coarray::Ragged;

#[coarray::main]
fn main() {
    let mut x = Ragged::from_fn(10, |_| 0);
    let x = x.open();
    x[0] = 1;
}
