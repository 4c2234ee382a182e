//! Tried: read and write the own part as usual although the coarray is open.
//!
//! To be told: `open` borrows the coarray until its guard goes, and where that is.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let open = x.open();
    x[0] = 1;
    println!("{}", x[0]);
    open.at(1)[0].put(2);
}
