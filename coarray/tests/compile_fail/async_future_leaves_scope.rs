//! Tried: wait for an operation after the scope that its buffer is lent to.
//!
//! To be told: that the cofuture cannot leave the scope.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut buffer = [0; 10];
    let row = async_scope(|scope| x.at(0).get_into_async(&mut buffer, scope));
    row.wait();
}
