//! Tried: derive `Remote` on a plain enum.
//!
//! To be told: to add an integer representation.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
enum Cell {
    Dead,
    Alive,
}

fn main() {}
