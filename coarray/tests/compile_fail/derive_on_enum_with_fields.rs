//! Tried: derive `Remote` on an enum whose variants carry values.
//!
//! To be told: that only plain variants travel, and to put the values in a struct beside the enum.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
#[repr(u8)]
enum Cell {
    Dead,
    Alive(u8),
}

fn main() {}
