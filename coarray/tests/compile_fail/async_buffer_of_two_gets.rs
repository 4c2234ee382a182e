//! Tried: fetch from two images into one buffer at the same time.
//!
//! To be told: that the buffer is mutably borrowed, by the first get.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut buffer = [0; 10];
    async_scope(|scope| {
        let one = x.at(0).get_into_async(&mut buffer, scope);
        let other = x.at(1)[..5].get_into_async(&mut buffer[..5], scope);
        one.wait();
        other.wait();
    });
}
