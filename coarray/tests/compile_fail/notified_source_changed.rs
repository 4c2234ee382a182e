//! Tried: write to a source while a put that notifies may still read it.
//!
//! To be told: that the source is borrowed for as long as the scope lasts.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut source = [0; 10];
    async_scope(|scope| {
        drop(x.at(1).put_from_notify_async(&source, came.at(1), scope));
        source[0] = 1;
    });
}
