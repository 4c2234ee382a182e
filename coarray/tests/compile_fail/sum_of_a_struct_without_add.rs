//! Tried: sum a struct that nobody knows how to add.
//!
//! To be told: that it lacks `Add`.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Totals {
    energy: f64,
    particles: u64,
}

#[coarray::main]
fn main() {
    let mut totals = Totals { energy: 1.0, particles: 1 };
    co_sum(&mut totals);
}
