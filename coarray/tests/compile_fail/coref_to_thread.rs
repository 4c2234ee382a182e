//! Tried: let a scoped thread put to a place on another image.
//!
//! To be told: that corefs stay on the image's thread.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let place = &x.at(1)[0];
    std::thread::scope(|scope| {
        scope.spawn(move || place.put(1));
    });
}
