//! Tried: hand a coarray to a thread that the image spawns.
//!
//! To be told: that coarrays stay on the image's thread.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let x = Coarray::<[i32; 10]>::zeroed();
    std::thread::spawn(move || println!("{}", x[0]))
        .join()
        .unwrap();
}
