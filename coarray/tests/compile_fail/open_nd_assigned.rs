//! Tried: assign to an item of an open array by its guard.
//!
//! To be told: that there are no local references to it, and how its own part is reached.

use coarray::NdCoarray;

#[coarray::main]
fn main() {
    let mut x = NdCoarray::<i32, 2>::zeroed([3, 4]);
    let x = x.open();
    x[[0, 1]] = 1;
}
