//! Tried: write to a source while a put may still read it.
//!
//! To be told: that the source is borrowed for as long as the scope lasts, although the cofuture is gone.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut source = [0; 10];
    async_scope(|scope| {
        drop(x.at(0).put_from_async(&source, scope));
        source[0] = 1;
    });
}
