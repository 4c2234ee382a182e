//! Tried: index the guard of an open coarray as if it were the coarray.
//!
//! To be told: that it is an `Open`, whose methods say the rest.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    println!("{}", x[0]);
}
