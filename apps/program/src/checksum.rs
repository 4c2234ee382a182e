//! A number that tells whether two fields are the same, bit for bit, however they are divided among images.

use coarray::prelude::*;

use crate::random::bits;

/// Collective. The checksum of a field. Each image gives its cells, with their numbers in the whole field.
pub fn checksum(cells: impl Iterator<Item = (usize, f64)>) -> u64 {
    let mut sum = cells
        .map(|(number, value)| of_cell(number, value))
        .fold(0, u64::wrapping_add);
    co_reduce(&mut sum, |a: u64, b: u64| a.wrapping_add(b));
    sum
}

/// The share of one cell: its number and its bits, mixed.
pub fn of_cell(number: usize, value: f64) -> u64 {
    bits(number as u64, value.to_bits())
}
