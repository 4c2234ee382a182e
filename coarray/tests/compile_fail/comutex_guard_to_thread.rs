//! Tried: let a scoped thread change what the image has locked.
//!
//! To be told: that guards stay on the image's thread.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let balance = Coarray::new(Comutex::new(0u64));
    let mut guard = balance.at(0).lock();
    std::thread::scope(|scope| {
        scope.spawn(move || guard.put(1));
    });
}
