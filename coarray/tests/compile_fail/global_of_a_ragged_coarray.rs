//! Tried: index the items of runs of different lengths as if there were equally many on each image.
//!
//! To be told: that there is no such index.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Ragged::from_fn(this_image(), |_| 1.0);
    let x = x.open();
    println!("{}", x.global().at(7).get());
}
