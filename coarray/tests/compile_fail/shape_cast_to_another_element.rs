//! Tried: look at integers as if they were floats of the same size (*Coarray C++* section 4.3).
//!
//! To be told: that the element types differ.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[u32; 200]>::zeroed();
    println!("{}", x.shape_cast::<[[f32; 20]; 10]>()[9][19]);
}
