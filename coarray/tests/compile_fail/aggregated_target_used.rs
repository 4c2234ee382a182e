//! Tried: use a value that an aggregated get may not have fetched yet.
//!
//! To be told: that the value is mutably borrowed, by the aggregator.

use coarray::irregular::Gets;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32]>::zeroed(10);
    let x = x.open();
    let mut value = 0;
    let mut gets = Gets::new(|image| x.at(image));
    gets.get(0, 3, &mut value);
    println!("{value}");
    drop(gets);
}
