//! Tried: the guard of an open phase, without the barrier that begins it.
//! The message should tell: that takes something which only the beginning of a phase gives.

use coarray::places::Openable;
use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::new([1u64; 4]);
    let open = Openable::guard(&mut x, std::panic::Location::caller());
    open.at(1)[0].put(7);
}
