//! Tried: use a buffer for which a function further down has begun a get.
//!
//! To be told: that the buffer is borrowed for as long as the scope lasts, as the signature of the function says.

use coarray::asynchronous::{AsyncScope, async_scope};
use coarray::prelude::*;

fn begin<'a, 'scope>(
    place: &'a Coref<[i32; 10]>,
    buffer: &'scope mut [i32; 10],
    scope: &'a AsyncScope<'scope, '_>,
) {
    drop(place.get_into_async(buffer, scope));
}

#[coarray::main]
fn main() {
    let mut x = Coarray::<[i32; 10]>::zeroed();
    let x = x.open();
    let mut buffer = [0; 10];
    async_scope(|scope| {
        begin(x.at(0), &mut buffer, scope);
        println!("{}", buffer[0]);
    });
}
