//! Values to combine, and operations that show in which order they were combined.

use coarray::Remote;
use coarray_proptests::{Sample, mix};

/// The seed of a value.
pub fn input(seed: u64, image: usize, index: usize) -> u64 {
    mix(mix(seed, image as u64), index as u64)
}

/// Numbers of which eight can be added without overflow.
pub trait Count {
    /// A number for `seed`.
    fn count(seed: u64) -> Self;
}

macro_rules! counts {
    ($($type:ty: $seed:ident => $value:expr;)*) => { $(
        impl Count for $type {
            fn count($seed: u64) -> Self {
                $value
            }
        }
    )* };
}

counts! {
    u8: seed => (seed % 32) as u8;
    i16: seed => (seed % 8000) as i16 - 4000;
    u32: seed => seed as u32 >> 3;
    i64: seed => seed as i64 >> 3;
    i128: seed => i128::sample(seed) >> 3;
    f32: seed => (seed as u32 as f32 - 2e9) * 0.1;
    f64: seed => (seed as f64 - 9e18) * 0.1;
}

/// A row of decimal digits, as a number modulo a prime. Joining is not commutative.
#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
pub struct Digits {
    value: u64,
    /// 10 to the power of their number.
    shift: u64,
    digits: u64,
}

impl Digits {
    const PRIME: u64 = (1 << 31) - 1;

    /// One to three digits.
    pub fn new(seed: u64) -> Self {
        let digits = 1 + seed % 3;
        let shift = 10u64.pow(digits as u32);
        Self {
            value: (seed >> 8) % shift,
            shift,
            digits,
        }
    }

    /// These digits, followed by those.
    pub fn then(self, next: Self) -> Self {
        Self {
            value: (self.value * next.shift + next.value) % Self::PRIME,
            shift: self.shift * next.shift % Self::PRIME,
            digits: self.digits + next.digits,
        }
    }
}

impl Sample for Digits {
    fn sample(seed: u64) -> Self {
        Self::new(seed)
    }
}

/// A matrix of integers modulo 2^16. Its product is not commutative.
#[derive(Clone, Copy, Debug, Remote)]
#[repr(transparent)]
pub struct Matrix([[u16; 2]; 2]);

impl Matrix {
    /// The product.
    pub fn times(self, other: Self) -> Self {
        let dot = |row: usize, column: usize| {
            (0..2).fold(0u16, |sum, index| {
                sum.wrapping_add(self.0[row][index].wrapping_mul(other.0[index][column]))
            })
        };
        Self([[dot(0, 0), dot(0, 1)], [dot(1, 0), dot(1, 1)]])
    }
}

impl Sample for Matrix {
    fn sample(seed: u64) -> Self {
        let entry = |index| mix(seed, index) as u16;
        Self([[entry(0), entry(1)], [entry(2), entry(3)]])
    }
}

/// A struct of 1000 bytes and some, which fits a turn 64 times with a remainder.
#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
pub struct Odd {
    data: [u8; 1001],
}

impl Sample for Odd {
    fn sample(seed: u64) -> Self {
        Self {
            data: std::array::from_fn(|index| mix(seed, index as u64) as u8),
        }
    }
}
