//! Tried: use a place on another image as if it were the value there.
//!
//! To be told: that the place is a `Coref`, which is no number.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let open = x.open();
    let v: i32 = open.at(0)[1];
    let w = open.at(0)[1] + 1;
    println!("{v} {w}");
}
