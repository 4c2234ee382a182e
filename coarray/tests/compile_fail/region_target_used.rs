//! Tried: read a buffer that a get of a region may still write to.
//!
//! To be told: that the buffer is borrowed for as long as the scope lasts.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[[i32; 5]; 4]>::zeroed();
    let x = x.open();
    let mut column = [0; 4];
    async_scope(|scope| {
        let fetched = x.at(0).region((.., 2)).get_into_async(&mut column, scope);
        println!("{}", column[0]);
        fetched.wait();
    });
}
