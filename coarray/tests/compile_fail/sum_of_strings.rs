//! Tried: add up texts of all images.
//!
//! To be told: that collectives do not work on `String`, and on what they do.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut names = String::from("me");
    co_sum(&mut names);
}
