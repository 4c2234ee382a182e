//! Tried: use a buffer after a barrier that has completed the get into it.
//!
//! To be told: that the buffer is borrowed for as long as the scope lasts; `wait` gives it back earlier.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut buffer = [0; 10];
    async_scope(|scope| {
        drop(x.at(0).get_into_async(&mut buffer, scope));
        sync_all();
        println!("{}", buffer[0]);
    });
}
