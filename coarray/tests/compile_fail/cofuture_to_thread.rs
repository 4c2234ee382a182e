//! Tried: let another thread wait for a value from another image.
//!
//! To be told: that what communicates stays on the image's thread.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let value = x.at(0)[3].get_async();
    std::thread::scope(|scope| {
        scope.spawn(move || println!("{}", value.wait()));
    });
}
