//! The numbers that are added.

use coarray_coref::Remote;
use num_traits::Float;

use super::two_sum;

/// A number that reproducible sums add: `f32` or `f64`.
///
/// # Examples
/// ```
/// use coarray_collectives::{Addend, co_total_reproducible};
///
/// /// The mean of all images' numbers, whoever has them.
/// fn mean<T: Addend>(numbers: &[T], count: T) -> T {
///     co_total_reproducible(numbers) / count
/// }
///
/// assert_eq!(coarray_launch::run(2, || mean(&[0.5, 2.5], 4.0)), [1.5; 2]);
/// ```
///
/// # Source
/// As [`co_sum_reproducible`](crate::co_sum_reproducible).
#[diagnostic::on_unimplemented(
    message = "reproducible sums do not add `{Self}`",
    note = "they add `f32` and `f64`; sums of integers are reproducible anyway: use `co_sum`"
)]
pub trait Addend: Remote<Element = Self> + Format {}

/// A binary format, as sums need it. Every value of every format is a value of binary64.
pub trait Format: Float {
    /// The bits of a normal number's significand, with the leading one.
    const PRECISION: u32;

    /// The exponent of the smallest positive number, counted from -1074.
    const LEAST_BIT: u32;

    /// The same number.
    fn widen(self) -> f64;

    /// The number with these bits, which are not more than those of infinity.
    fn from_magnitude(bits: u64) -> Self;

    /// The rounding of a sum S that differs from `sum + errors` by at most `lost`, and whether the rounding is certain.
    ///
    /// If `errors` is zero and nothing is lost, a `sum` of zero has the sign it should have. If `lost` is not
    /// finite, the sum is uncertain.
    fn settle(sum: f64, errors: f64, lost: f64) -> (Self, bool);
}

impl Addend for f32 {}

impl Addend for f64 {}

impl Format for f64 {
    const PRECISION: u32 = Self::MANTISSA_DIGITS;
    const LEAST_BIT: u32 = 0;

    #[inline]
    fn widen(self) -> f64 {
        self
    }

    fn from_magnitude(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    /// `rounded + rest` is `sum + errors`, exactly. So S lies between `rounded` + the computed `rest - margin` and
    /// `rounded` + the computed `rest + margin`: If nothing is lost, because S is `rounded + rest`. Or else `lost`
    /// is 2^-1074 at least, and computing the margin and the two ends takes at most
    /// 2^-1075 + 2^-51 margin + 2^-53 |rest| off 2 `lost` + 2^-51 |rest|: `lost` is left.
    ///
    /// Rounding is monotone: if both ends round to `rounded`, so does S.
    #[inline]
    fn settle(sum: f64, errors: f64, lost: f64) -> (Self, bool) {
        let (rounded, rest) = two_sum(sum, errors);
        let rounded = if errors == 0.0 { sum } else { rounded };
        let margin = if lost == 0.0 {
            0.0
        } else {
            2.0 * lost + rest.abs() * (2.0 * f64::EPSILON)
        };
        let below = rounded + (rest - margin);
        let above = rounded + (rest + margin);
        (rounded, (below == rounded) & (above == rounded))
    }
}

impl Format for f32 {
    const PRECISION: u32 = Self::MANTISSA_DIGITS;
    const LEAST_BIT: u32 = 1074 - 149;

    #[inline]
    fn widen(self) -> f64 {
        f64::from(self)
    }

    fn from_magnitude(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }

    /// Without errors S is `sum`, rounded once here. Otherwise S lies within 2^-53 |total| + `lost` of `total`, and
    /// computing the ends takes at most 2^-53 |total| + 2^-51 margin off a margin of 2^-51 |total| + 2 `lost`:
    /// S lies between the ends. Rounding is monotone: if both ends round to the same number, so does S.
    ///
    /// All sums of `f32` are multiples of 2^-149 and far from the ends of the range of `f64`. So is `lost`: both
    /// ends are zero only if nothing is lost and the total is exactly zero.
    #[inline]
    fn settle(sum: f64, errors: f64, lost: f64) -> (Self, bool) {
        let total = sum + errors;
        let margin = total.abs() * (2.0 * f64::EPSILON) + 2.0 * lost;
        let (below, above) = ((total - margin) as f32, (total + margin) as f32);
        let exact = (errors == 0.0) & (lost == 0.0);
        let value = if exact { sum as f32 } else { below };
        (value, exact | (below == above))
    }
}
