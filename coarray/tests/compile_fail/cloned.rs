//! Tried: clone a coarray, as one clones an array.
//!
//! To be told: that a coarray has no `clone`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[i32; 10]>::zeroed();
    let old: Coarray<[i32; 10]> = x.clone();
    println!("{}", x[0] - old[0]);
}
