//! What programs do with the values of a collective operation: they write them before it, and read the results after it.
//!
//! What is passed on again and again, and is neither written nor read, stays in the caches of whoever has fetched it once.

use std::hint::black_box;

/// Numbers in a cache line.
const LINE: usize = 64 / size_of::<f64>();

/// Writes all `values`: the number `time`.
#[inline]
pub fn write(values: &mut [f64], time: usize) {
    black_box(values).fill(time as f64);
}

/// Reads one number of each cache line.
#[inline]
pub fn read(values: &[f64]) {
    black_box(values.iter().step_by(LINE).sum::<f64>());
}
