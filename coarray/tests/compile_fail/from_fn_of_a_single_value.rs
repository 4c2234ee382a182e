//! Tried: make a coarray of a single value by `from_fn`.
//!
//! To be told: that it is for arrays, and what makes single values.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<f64>::from_fn(|i| i as f64);
    println!("{}", *x);
}
