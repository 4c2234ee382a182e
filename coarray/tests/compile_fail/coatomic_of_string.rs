//! Tried: let all images change a text.
//!
//! To be told: that text cannot travel.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    Coatomic::new(String::from("life"));
}
