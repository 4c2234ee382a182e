//! Tried: open two coarrays at once, one of them by a shared reference.
//!
//! To be told: that `open` takes `&mut`.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let (mut a, b) = (Coarray::new(1), Coarray::new(2));
    let (a, b) = coarray::open((&mut a, &b));
    a.at(1).put(b.at(1).get());
}
