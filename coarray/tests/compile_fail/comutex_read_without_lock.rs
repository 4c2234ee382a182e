//! Tried: read the value of a comutex without locking it.
//!
//! To be told: what one can do with a comutex, or at least that getting is not it.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let balance = Coarray::new(Comutex::new(0u64));
    println!("{}", balance.at(0).get());
}
