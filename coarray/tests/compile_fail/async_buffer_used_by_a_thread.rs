//! Tried: let another thread read a buffer while a get may still write to it.
//!
//! To be told: that the buffer is mutably borrowed, by the get.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut buffer = [0; 10];
    async_scope(|scope| {
        let row = x.at(0).get_into_async(&mut buffer, scope);
        std::thread::scope(|threads| {
            threads.spawn(|| println!("{}", buffer[0]));
        });
        row.wait();
    });
}
