//! Tried: clone a coarray, as one clones an array.
//!
//! To be told: that the clone is the array on this image, not another coarray.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[i32; 10]>::zeroed();
    let old: Coarray<[i32; 10]> = x.clone();
    println!("{}", x[0] - old[0]);
}
