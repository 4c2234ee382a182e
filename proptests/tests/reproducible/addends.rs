//! Numbers that are hard to add.

use coarray_proptests::mix;
use proptest::prelude::*;

use crate::oracle::Exact;

/// What makes them hard.
#[derive(Clone, Copy, Debug)]
pub enum Hardship {
    /// Nothing: integers.
    Easy,
    /// They have nearly the same exponent.
    Close,
    /// Any finite bits: exponents are far apart.
    Far,
    /// All large ones cancel exactly.
    Cancelling,
    /// All but the last bits of large ones cancel.
    Neighbours,
    /// The sum is halfway between two floats, or nearly so.
    Halfway,
    /// They are subnormal, or nearly so.
    Tiny,
    /// The sum is near the border to infinity.
    Huge,
    /// Zeros of both signs, or of one.
    Zeros,
    /// There are NaNs of all kinds, or infinities.
    Special,
}

/// Any of them.
pub fn hardship() -> impl Strategy<Value = Hardship> {
    use Hardship::{Cancelling, Close, Easy, Far, Halfway, Huge, Neighbours, Special, Tiny, Zeros};
    prop::sample::select(vec![
        Easy, Close, Far, Cancelling, Cancelling, Neighbours, Neighbours, Halfway, Halfway, Tiny,
        Huge, Zeros, Special,
    ])
}

/// So many hard numbers.
pub fn addends<T: Exact>(hardship: Hardship, count: usize, seed: u64) -> Vec<T> {
    let mut values = Vec::new();
    for round in 0.. {
        if values.len() >= count {
            break;
        }
        let bits = |index| mix(mix(seed, round), index);
        values.extend(group::<T>(hardship, bits));
    }
    values.truncate(count);
    shuffle(&mut values, seed);
    values
}

/// Any order of them.
pub fn shuffle<T>(values: &mut [T], seed: u64) {
    for index in (1..values.len()).rev() {
        let other = mix(seed, index as u64) % (index as u64 + 1);
        values.swap(index, other as usize);
    }
}

/// Some numbers that belong together.
fn group<T: Exact>(hardship: Hardship, bits: impl Fn(u64) -> u64) -> Vec<T> {
    let any = |index| T::from_order(bits(index) % T::INFINITY);
    let either = |index, value: T| if bits(index) & 1 == 0 { value } else { -value };
    // The least number and the distance of two exponents, in the order of the floats.
    let least = T::from_order(1);
    let exponent = order(T::one() + T::one()) - order(T::one());
    match hardship {
        Hardship::Easy => vec![T::from_order(order(T::one()) + exponent * (bits(1) % 6))],
        Hardship::Close => {
            let value = T::from_order(order(T::one()) + bits(1) % (8 * exponent));
            vec![either(2, value)]
        }
        Hardship::Far => vec![either(1, any(2))],
        Hardship::Cancelling => {
            let small = either(3, T::from_order(bits(2) % order(T::one())));
            vec![any(1), -any(1), small]
        }
        Hardship::Neighbours => {
            let value = T::from_order(bits(1) % (T::INFINITY - 8));
            let neighbour = T::from_order(order(value) + 1 + bits(2) % 3);
            let scale = bits(4) % (order(value) + 1);
            vec![value, -neighbour, either(3, T::from_order(scale))]
        }
        Hardship::Halfway => {
            // Half a last place of a power of two, or near it, is this many exponents less.
            let places = u64::from(exponent.trailing_zeros()) + 1;
            let fields = T::INFINITY / exponent;
            let field = places + 2 + bits(1) % (fields - places - 3);
            let value = T::from_order(field * exponent + bits(2) % exponent);
            let half = T::from_order((field - places) * exponent);
            let nudge = match bits(3) % 4 {
                0 => T::zero(),
                1 => least,
                2 => T::from_order(bits(5) % order(half)),
                _ => T::from_order(order(half) - order(half) / 8),
            };
            vec![
                value,
                either(6, half),
                either(7, nudge),
                -nudge,
                either(8, nudge),
            ]
        }
        Hardship::Tiny => vec![either(1, T::from_order(bits(2) % (3 * exponent)))],
        Hardship::Huge => {
            let largest = T::from_order(T::INFINITY - 1);
            let places = u64::from(exponent.trailing_zeros()) + 1;
            let half = T::from_order((T::INFINITY / exponent - 1 - places) * exponent);
            let nudge = either(3, [T::zero(), least, half][(bits(4) % 3) as usize]);
            match bits(5) % 3 {
                0 => vec![largest, half, nudge],
                1 => vec![-largest, -half, nudge],
                _ => vec![largest, -largest, largest, nudge, -largest],
            }
        }
        Hardship::Zeros => {
            let negative = -T::zero();
            vec![if bits(1) & 15 == 0 {
                T::zero()
            } else {
                negative
            }]
        }
        Hardship::Special => {
            let fraction = 1 + bits(2) % (exponent - 1);
            vec![match bits(1) % 12 {
                0 => T::from_order(T::INFINITY + fraction),
                1 => T::from_order((T::INFINITY + fraction) | T::SIGN),
                2 => T::from_order(T::INFINITY),
                3 => T::from_order(T::INFINITY | T::SIGN),
                _ => either(3, any(4)),
            }]
        }
    }
}

/// The bits of a number that is not negative.
fn order<T: Exact>(value: T) -> u64 {
    let double = value.double();
    if T::SIGN == 1 << 63 {
        double.to_bits()
    } else {
        u64::from((double as f32).to_bits())
    }
}
