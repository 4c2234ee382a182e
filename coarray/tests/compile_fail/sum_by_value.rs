//! Tried: hand `co_sum` a value, and expect the sum.
//!
//! To be told: that it wants a mutable reference, where the sum will be.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mine = this_image() as f64;
    let total = co_sum(mine);
    println!("{total}");
}
