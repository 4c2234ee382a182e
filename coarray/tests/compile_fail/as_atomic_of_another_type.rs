//! Tried: add to the bits of an integer as if they were a float.
//!
//! To be told: that the atomic operations of a place are those of its own type.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut x = Coarray::new(0u64);
    let x = x.open();
    let place: &Coref<Coatomic<f64>, _> = x.at(1).as_atomic();
    place.add(1.0);
}
