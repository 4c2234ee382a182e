//! Tried: derive `Remote` alone.
//!
//! To be told: to derive `Copy` too.

use coarray::prelude::*;

#[derive(Remote)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    mass: f64,
}

fn main() {}
