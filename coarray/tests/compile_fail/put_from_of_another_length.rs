//! Tried: put a row of 10 in the place of a row of 20.
//!
//! To be told: both lengths.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
    let x = x.open();
    x.at(1)[5].put_from(&[7; 10]);
}
