//! Tried: let a scoped thread communicate through the guard of an open coarray.
//!
//! To be told: that guards stay on the image's thread.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    std::thread::scope(|scope| {
        scope.spawn(|| x.at(1)[0].put(1));
    });
}
