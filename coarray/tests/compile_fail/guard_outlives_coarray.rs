//! Tried: return the guard of a coarray that a function made.
//!
//! To be told: that the guard borrows the coarray, which ends with the function.

use coarray::prelude::*;

fn opened<'a>() -> Open<'a, [i32; 10]> {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    x.open()
}

#[coarray::main]
fn main() {
    opened().at(1)[0].put(1);
}
