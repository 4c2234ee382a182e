//! Tried: pass a coarray to a function that expects one of another shape (*Coarray C++* section 4.1).
//!
//! To be told: both shapes.

use coarray::prelude::*;

fn trace(x: &Coarray<[[i32; 20]; 10]>) -> i32 {
    (0..10).map(|i| x[i][i]).sum()
}

#[coarray::main]
fn main() {
    let x = Coarray::<[[i32; 10]; 5]>::zeroed();
    println!("{}", trace(&x));
}
