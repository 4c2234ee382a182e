//! Tried: make a coarray of a struct that does not derive `Remote`.
//!
//! To be told: which attributes the struct needs.

use coarray::prelude::*;

#[derive(Clone, Copy)]
struct Particle {
    position: [f64; 3],
    mass: f64,
}

#[coarray::main]
fn main() {
    let _x = Coarray::new(Particle {
        position: [0.0; 3],
        mass: 1.0,
    });
}
