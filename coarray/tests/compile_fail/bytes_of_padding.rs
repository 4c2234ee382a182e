//! Values with padding have bytes that must not be compared.

use coarray::prelude::*;

#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Gap {
    small: u8,
    large: u64,
}

fn main() {
    let gap = Gap { small: 1, large: 2 };
    coarray_coref::same(&gap, &gap);
}
