//! Tried: pass a coarray on by value while it is open.
//!
//! To be told: that the guard still borrows it, and where.

use coarray::prelude::*;

fn finish(x: Coarray<[i32; 10]>) -> i32 {
    x[0]
}

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let open = x.open();
    let first = finish(x);
    open.at(1)[0].put(first);
}
