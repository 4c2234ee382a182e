//! Tried: compute with the old value of a coatomic that is still on its way.
//!
//! To be told: that this is a cofuture, and not the value.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let next = Coarray::new(Coatomic::new(0));
    let ticket = next.at(0).fetch_add_async(1);
    let after = ticket + 1;
    println!("{after}");
}
