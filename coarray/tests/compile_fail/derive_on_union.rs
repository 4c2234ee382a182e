//! Tried: derive `Remote` on a union.
//!
//! To be told: to use a struct or bytes instead.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
#[repr(C)]
union Word {
    integer: u32,
    float: f32,
}

fn main() {}
