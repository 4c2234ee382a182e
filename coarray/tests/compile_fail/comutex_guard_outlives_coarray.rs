//! Tried: keep a comutex locked longer than its coarray lives.
//!
//! To be told: that the guard borrows the coarray.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let guard = {
        let balance = Coarray::new(Comutex::new(0u64));
        balance.at(0).lock()
    };
    println!("{}", guard.get());
}
