//! Whether keys are sorted, and still the same.

use coarray::collectives::{co_all, co_exscan};
use coarray::prelude::*;
use program::random;

/// Collective. Whether each image's keys are in order, and no key is less than a key of an image before.
pub(crate) fn is_sorted(keys: &[u64]) -> bool {
    let mut greatest_before = keys.iter().copied().max().unwrap_or(0);
    co_exscan(&mut greatest_before, 0, u64::max);
    let mut first = keys.first().copied().into_iter();
    co_all(keys.is_sorted() && first.all(|first| first >= greatest_before))
}

/// Distinguishes collections of keys, in any order: by the number of keys, and by a sum of random numbers that are
/// functions of the keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// Collective. The fingerprint of all images' keys.
    pub(crate) fn of(keys: &[u64]) -> Self {
        let values = keys.iter().map(|&key| random::bits(0, key));
        let mut sums = [keys.len() as u64, values.fold(0, u64::wrapping_add)];
        co_reduce(&mut sums, |a: u64, b: u64| a.wrapping_add(b));
        Self(sums)
    }
}

/// Collective. Distinguishes sequences of keys, however they are divided among images.
pub(crate) fn checksum(keys: &[u64]) -> u64 {
    let mut first = keys.len();
    co_exscan(&mut first, 0, |a, b| a + b);
    let numbers = first as u64..;
    let values = numbers
        .zip(keys)
        .map(|(number, &key)| random::bits(number, key));
    let mut sum = values.fold(0, u64::wrapping_add);
    co_reduce(&mut sum, |a: u64, b: u64| a.wrapping_add(b));
    sum
}
