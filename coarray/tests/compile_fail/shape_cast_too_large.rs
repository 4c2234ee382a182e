//! Tried: look at 200 elements as if they were 300 (*Coarray C++* section 4.3).
//!
//! To be told: that the new shape has more elements than the old one.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[i32; 200]>::zeroed();
    println!("{}", x.shape_cast::<[[i32; 20]; 15]>()[14][19]);
}
