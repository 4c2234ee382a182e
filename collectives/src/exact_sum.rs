//! Sums that are exact until they are rounded, once, at the end.
//!
//! A sum that is rounded once depends on the addends alone, not on the order, the grouping or the algorithm of the additions.
//! There are two ways. [`Superaccumulator`], an integer wide enough for every sum, is for many numbers that make one sum.
//! [`sum_columns`] is for few numbers that make each of many sums: there a pair of floats with an error bound nearly always
//! determines the rounded sum.
//!
//! Both work without images, on the numbers that a reproducible collective has received.
//!
//! # Source
//! U. W. Kulisch and W. L. Miranker, *Computer Arithmetic in Theory and Practice*, 1981: the accumulator.
//! R. M. Neal, *Fast exact summation using small and large superaccumulators*, arXiv:1505.05571, 2015: its
//! form here.

mod addend;
mod columns;
mod extraction;
mod superaccumulator;
#[cfg(test)]
mod tests;

pub use addend::Addend;
pub(crate) use columns::sum_columns;
pub(crate) use superaccumulator::Superaccumulator;

/// The rounded sum of two numbers and its exact error, unless something overflows: then the error is not finite.
///
/// # Source
/// `TwoSum`: D. E. Knuth, *The Art of Computer Programming* 2, section 4.2.2, theorem B.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_in_sum = sum - a;
    (sum, (a - (sum - b_in_sum)) + (b - b_in_sum))
}
