//! Tried: close a coarray and wait for a value from it afterwards.
//!
//! To be told: that the guard is still borrowed by the cofuture, which is used later.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let open = x.open();
    let value = open.at(0)[3].get_async();
    drop(open);
    println!("{}", value.wait());
}
