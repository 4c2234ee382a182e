//! Tried: unlock a comutex without having locked it.
//!
//! To be told: that there is no such operation.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let balance = Coarray::new(Comutex::new(0u64));
    balance.at(1).unlock();
}
