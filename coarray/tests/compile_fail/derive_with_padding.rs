//! Tried: derive `Remote` on a struct with padding bytes.
//!
//! To be told: to reorder the fields or fill the gaps.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Particle {
    mass: f64,
    charge: i8,
}

fn main() {}
