//! Tried: let a scoped thread read the local part.
//!
//! To be told: that coarrays stay on the image's thread.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[i32; 10]>::zeroed();
    std::thread::scope(|scope| {
        scope.spawn(|| println!("{}", x[0]));
    });
}
