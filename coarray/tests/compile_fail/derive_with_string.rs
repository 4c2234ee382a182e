//! Tried: derive `Remote` on a struct with a name in it.
//!
//! To be told: that `String` cannot travel, at the field, and what can.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    name: String,
}

fn main() {}
