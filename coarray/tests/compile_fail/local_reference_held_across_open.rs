//! Tried: keep a local row at hand while the coarray is open.
//!
//! To be told: the reference borrows the coarray, `open` needs it whole, and where the reference is still used.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
    let row = &mut x[3];
    let open = x.open();
    row[0] = open.at(1)[3][0].get();
}
