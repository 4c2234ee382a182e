//! Tried: use a coarray again after a function took it by value (*Coarray C++* section 3.7).
//!
//! To be told: that the function could borrow it.

use coarray::prelude::*;

fn total(x: Coarray<[i32; 10]>) -> i32 {
    x.iter().sum()
}

#[coarray::main]
fn main() {
    let x = Coarray::<[i32; 10]>::zeroed();
    println!("{}", total(x));
    println!("{}", x[0]);
}
