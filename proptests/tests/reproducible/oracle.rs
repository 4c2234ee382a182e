//! Sums of floats by rational arithmetic: all floats, and so their sums, are fractions with the denominator 2^1074.

use std::fmt::Debug;

use coarray::collectives::Addend;
use coarray::places::Values;
use num_bigint::BigInt;

/// A float as a place in the order of all floats of its type, and as a numerator.
pub trait Exact: Addend + Values<Element = Self> + Debug + Send + Sync {
    /// The bits of infinity: how many finite floats are not negative.
    const INFINITY: u64;

    /// The float with these bits.
    fn from_order(bits: u64) -> Self;

    /// The same number, or NaN.
    fn double(self) -> f64;

    /// The sign bit.
    const SIGN: u64;
}

impl Exact for f32 {
    const INFINITY: u64 = 0x7f80_0000;
    const SIGN: u64 = 1 << 31;

    fn from_order(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }

    fn double(self) -> f64 {
        f64::from(self)
    }
}

impl Exact for f64 {
    const INFINITY: u64 = 0x7ff0_0000_0000_0000;
    const SIGN: u64 = 1 << 63;

    fn from_order(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    fn double(self) -> f64 {
        self
    }
}

/// The numerator of a finite number.
fn numerator(value: f64) -> BigInt {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    let magnitude = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction + (1 << 52)) << (exponent - 1),
    };
    if value < 0.0 { -magnitude } else { magnitude }
}

/// The numerator of the float of that order, or of what follows the largest in place of infinity.
fn numerator_at<T: Exact>(order: u64) -> BigInt {
    let largest = T::INFINITY - 1;
    if order <= largest {
        numerator(T::from_order(order).double())
    } else {
        2 * numerator_at::<T>(largest) - numerator_at::<T>(largest - 1)
    }
}

/// The sum that the documentation promises.
pub fn sum<T: Exact>(values: &[T]) -> T {
    let doubles: Vec<f64> = values.iter().map(|value| value.double()).collect();
    let has = |sought: f64| doubles.contains(&sought);
    let (up, down) = (has(f64::INFINITY), has(f64::NEG_INFINITY));
    if doubles.iter().any(|value| value.is_nan()) || (up && down) {
        return T::nan();
    }
    if up || down {
        return T::from_order(T::INFINITY | if down { T::SIGN } else { 0 });
    }
    let exact: BigInt = doubles.iter().map(|value| numerator(*value)).sum();
    let zero = BigInt::from(0);
    if exact == zero {
        let all_negative = doubles.iter().all(|value| value.is_sign_negative());
        let negative = all_negative && !doubles.is_empty();
        return T::from_order(if negative { T::SIGN } else { 0 });
    }
    let sign = if exact < zero { T::SIGN } else { 0 };
    T::from_order(sign | nearest::<T>(&BigInt::from(exact.magnitude().clone())))
}

/// The order of the float that is nearest to a positive number, the even one of two.
fn nearest<T: Exact>(exact: &BigInt) -> u64 {
    let (mut below, mut above) = (0, T::INFINITY);
    if *exact >= numerator_at::<T>(above) {
        return above;
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if numerator_at::<T>(middle) <= *exact {
            below = middle;
        } else {
            above = middle;
        }
    }
    let twice_middle = numerator_at::<T>(below) + numerator_at::<T>(above);
    match (exact << 1u32).cmp(&twice_middle) {
        std::cmp::Ordering::Less => below,
        std::cmp::Ordering::Greater => above,
        std::cmp::Ordering::Equal => below + (below & 1),
    }
}
