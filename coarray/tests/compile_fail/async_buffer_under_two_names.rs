//! Tried: look at a buffer by another reference to it while a get may still write to it.
//!
//! To be told: that the first reference is still used, and the get needs the buffer for itself.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut buffer = [0; 10];
    let alias = &buffer;
    async_scope(|scope| {
        let row = x.at(0).get_into_async(&mut buffer, scope);
        println!("{}", alias[0]);
        row.wait();
    });
}
