//! Tried: throw away the sum that is returned, as if the argument had it.
//!
//! To be told: that the argument does not change.

#![deny(unused_must_use)]

use coarray::collectives::Collective;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mine = this_image();
    co_sum_of(mine);
    Collective::new().co_max_of(mine);
    println!("{mine}");
}
