//! Tried: give an array a length that is known only when the program runs.
//!
//! To be told: that a type needs a constant. A coarray of a slice is what is wanted.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let n = 1000 / num_images();
    let x = Coarray::<[f64; n]>::zeroed();
    println!("{}", x[0]);
}
