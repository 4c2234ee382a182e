//! Sums of many numbers that are not far apart, by ordinary additions that make no error.
//!
//! To add a large number and subtract it again rounds a number to a multiple of the large number's last bit. Not too many
//! multiples of one number add without rounding. The remainder is exact, and a second round, with a smaller large number,
//! treats it likewise. Two rounds take 93 bits below the largest number of a block: everything, if the numbers differ by a
//! factor of at most 2^40. All lanes of a vector do the same.
//!
//! # Source
//! S. M. Rump, T. Ogita and S. Oishi, *Accurate floating-point summation part I: faithful rounding*, SIAM Journal on
//! Scientific Computing 31, 2008, section 3: `ExtractVector`. J. Demmel and H. D. Nguyen, *Parallel reproducible
//! summation*, IEEE Transactions on Computers 64, 2015, do it with large numbers fixed beforehand.

use super::Addend;
use super::superaccumulator::Superaccumulator;

const LANES: usize = 8;

/// Additions in a lane.
const ROWS: usize = 128;

/// The most numbers that are added together.
pub(super) const BLOCK: usize = LANES * ROWS;

/// Fewer numbers do not pay: the sums of the lanes must be accumulated, too.
const LEAST: usize = 8 * LANES;

/// Exponents `e` of the largest number, less than 2^e, for which nothing over- or underflows.
const EXPONENTS: std::ops::RangeInclusive<i32> = -980..=1016;

/// Adds up to [`BLOCK`] numbers to `sum` and returns true, if two rounds leave no remainder. Otherwise adds nothing.
///
/// # Proof
/// In a round, |x| <= 2^e for all x, and `large` is 1.5 2^p, with p = e + 6. So `large + x` lies between 2^p and
/// 2^(p+1) and is rounded to a multiple of u = 2^(p-52) = 2^(e-46), as `large` is one. Hence `part` is a multiple
/// of u, exactly; |part| <= 2^e, a multiple of u, too; and a lane's partial sums, of at most 2^7 parts, are
/// multiples of u up to 2^(e+7) = 2^53 u, which are all numbers. `x - part` is the rounding error of
/// `large + x`, which is a number, so the subtraction is exact. It is at most u / 2 = 2^(e-47): this is the e of
/// the next round. Its u is 2^(e-93), not less than 2^-1074.
///
/// A NaN remains after both rounds; infinity exceeds the exponents. Negative zeros change no part, and matter only if all
/// numbers are zeros, whose exponent is out of range.
pub(super) fn add_block<T: Addend>(sum: &mut Superaccumulator, values: &[T]) -> bool {
    let (rows, others) = values.as_chunks::<LANES>();
    if values.len() < LEAST || rows.len() > ROWS {
        return false;
    }
    let largest = largest(rows);
    let exponent = (largest.to_bits() >> 52) as i32 - 1022;
    if !EXPONENTS.contains(&exponent) {
        return false;
    }
    let large = [exponent, exponent - 47].map(|e| 1.5 * power_of_two(e + 6));
    let mut parts = [[0.0; LANES]; 2];
    let mut left = [0; LANES];
    for row in rows {
        for lane in 0..LANES {
            let mut rest = row[lane].widen();
            for round in 0..2 {
                let part = (large[round] + rest) - large[round];
                parts[round][lane] += part;
                rest -= part;
            }
            // All bits but the sign.
            left[lane] |= rest.to_bits() << 1;
        }
    }
    if left.iter().any(|bits| *bits != 0) {
        return false;
    }
    // The parts are never negative zeros, which `sum` would count as such.
    sum.add_few(parts.as_flattened());
    sum.add_few(others);
    true
}

/// The largest magnitude, NaN ignored.
fn largest<T: Addend>(rows: &[[T; LANES]]) -> f64 {
    let mut largest = [0.0; LANES];
    for row in rows {
        for lane in 0..LANES {
            let magnitude = row[lane].widen().abs();
            largest[lane] = if magnitude > largest[lane] {
                magnitude
            } else {
                largest[lane]
            };
        }
    }
    largest.into_iter().fold(0.0, f64::max)
}

/// 2^`exponent`, which must be a normal number.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
