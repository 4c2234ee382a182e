//! Tried: fetch into a buffer that is gone before the scope ends.
//!
//! To be told: that the buffer does not live long enough, and where it is borrowed.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    async_scope(|scope| {
        let mut buffer = [0; 10];
        drop(x.at(0).get_into_async(&mut buffer, scope));
    });
}
