//! A number that tells whether two fields are the same, bit for bit, however they are divided among images.

use coarray::prelude::*;

/// Collective. The checksum of a field of which each image gives its cells, each with its number in the whole
/// field.
pub(crate) fn checksum(cells: impl Iterator<Item = (usize, f64)>) -> u64 {
    let mut sum = cells
        .map(|(number, value)| of_cell(number, value))
        .fold(0, u64::wrapping_add);
    co_reduce(&mut sum, |a: u64, b: u64| a.wrapping_add(b));
    sum
}

/// The share of one cell: its number and its bits, mixed (splitmix64).
pub(crate) fn of_cell(number: usize, value: f64) -> u64 {
    mix(mix(number as u64) ^ value.to_bits())
}

fn mix(bits: u64) -> u64 {
    let mixed = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
