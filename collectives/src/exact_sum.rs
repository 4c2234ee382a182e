//! Sums that are exact until they are rounded, once, at the end.
//!
//! Whoever rounds once cannot notice the order, the grouping or the algorithm of the additions: the result is a
//! function of the addends alone. Two ways lead there. [`Superaccumulator`] is an integer wide enough for
//! every sum, for many numbers that make one sum; [`sum_columns`] is for few numbers that make each of many
//! sums, where a pair of floats with an error bound nearly always tells the rounded sum.
//!
//! Both need no images: they are what reproducible collectives do with the numbers they got.
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

/// The rounded sum of two numbers and what it lacks, exactly, unless something overflows; then the latter is
/// not finite.
///
/// # Source
/// `TwoSum`: D. E. Knuth, *The Art of Computer Programming* 2, section 4.2.2, theorem B.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_in_sum = sum - a;
    (sum, (a - (sum - b_in_sum)) + (b - b_in_sum))
}
