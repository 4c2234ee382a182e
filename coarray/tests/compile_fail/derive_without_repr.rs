//! Tried: derive `Remote` on a plain struct.
//!
//! To be told: to add `#[repr(C)]`.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
struct Particle {
    position: [f64; 3],
    mass: f64,
}

fn main() {}
