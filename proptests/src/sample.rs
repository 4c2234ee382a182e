//! Values of every type that travels.

use std::fmt::Debug;
use std::num::{NonZeroI128, NonZeroU8, NonZeroU32};

use bytemuck::{CheckedBitPattern, NoUninit, Pod, Zeroable};
use coarray::places::Values;
use coarray::{Coptr, Plain, Remote};

/// An element type of which there is a value for every number.
pub trait Sample: Remote<Element = Self> + Debug + Send + Sync {
    /// The value for `seed`. Different seeds mostly have different values.
    fn sample(seed: u64) -> Self;
}

/// Mixes two numbers to one that looks random.
#[must_use]
pub const fn mix(seed: u64, index: u64) -> u64 {
    let mixed = seed ^ index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The bytes of values. Other than with `==`, NaN equals NaN, and 0.0 differs from -0.0.
#[must_use]
pub fn bits<V: Values + ?Sized>(values: &V) -> &[u8] {
    let elements = values.elements();
    // SAFETY: a `Remote` value has no padding, so all bytes of the elements are initialised.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

macro_rules! samples {
    ($($type:ty: $seed:ident => $value:expr;)*) => { $(
        impl Sample for $type {
            fn sample($seed: u64) -> Self {
                $value
            }
        }
    )* };
}

/// 128 bits from 64.
const fn wide(seed: u64) -> u128 {
    ((mix(seed, 1) as u128) << 64) | mix(seed, 2) as u128
}

const fn select<T: Copy>(seed: u64, values: &[T]) -> T {
    values[(mix(seed, 3) % values.len() as u64) as usize]
}

samples! {
    u8: seed => mix(seed, 0) as u8;
    i8: seed => mix(seed, 0) as i8;
    u16: seed => mix(seed, 0) as u16;
    i16: seed => mix(seed, 0) as i16;
    u32: seed => mix(seed, 0) as u32;
    i32: seed => mix(seed, 0) as i32;
    u64: seed => mix(seed, 0);
    i64: seed => mix(seed, 0) as i64;
    usize: seed => mix(seed, 0) as usize;
    isize: seed => mix(seed, 0) as isize;
    u128: seed => wide(seed);
    i128: seed => wide(seed) as i128;
    f32: seed => f32::from_bits(mix(seed, 0) as u32);
    f64: seed => select(seed, &[f64::NAN, -0.0, 0.0, f64::INFINITY, f64::from_bits(seed), f64::MIN_POSITIVE]);
    bool: seed => mix(seed, 0) & 1 == 1;
    char: seed => char::from_u32(mix(seed, 0) as u32 % 0xd800).unwrap_or('\u{10ffff}');
    NonZeroU8: seed => NonZeroU8::new(mix(seed, 0) as u8).unwrap_or(NonZeroU8::MAX);
    NonZeroU32: seed => NonZeroU32::new(mix(seed, 0) as u32).unwrap_or(NonZeroU32::MIN);
    NonZeroI128: seed => NonZeroI128::new(wide(seed) as i128).unwrap_or(NonZeroI128::MIN);
    Coptr<u16>: seed => Coptr::null().offset(select(seed, &[0, 1, 77, isize::MAX, -1, seed as isize]));
    Kind: seed => select(seed, &[Kind::Rock, Kind::Gas, Kind::Ice]);
    Level: seed => select(seed, &[Level::Low, Level::Middle, Level::High]);
    Wide: seed => Wide { id: wide(seed), data: [mix(seed, 4), seed, 0, u64::MAX] };
    Plain<Celsius>: seed => Plain(Celsius(f32::sample(seed)));
    Plain<Even>: seed => Plain(Even(mix(seed, 0) as u32 & !1));
    Particle: seed => Particle {
        position: [mix(seed, 5) as f32, -0.0, f32::NAN],
        charge: mix(seed, 6) as i16,
        kind: Kind::sample(seed),
        alive: bool::sample(seed),
    };
}

/// A struct with members that are arrays, enums, and not valid for all bytes.
#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
pub struct Particle {
    /// An array.
    pub position: [f32; 3],
    /// A number.
    pub charge: i16,
    /// An enum.
    pub kind: Kind,
    /// A truth value.
    pub alive: bool,
}

/// An enum of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Remote)]
#[repr(u8)]
pub enum Kind {
    /// Not zero.
    Rock = 3,
    /// The largest.
    Gas = 255,
    /// Out of order.
    Ice = 1,
}

/// An enum of eight bytes, of which most patterns are not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Remote)]
#[repr(i64)]
pub enum Level {
    /// Negative.
    Low = -1,
    /// Zero.
    Middle = 0,
    /// The largest.
    High = i64::MAX,
}

/// A struct too large to move in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Remote)]
#[repr(C)]
pub struct Wide {
    /// Makes it aligned to 16 bytes.
    pub id: u128,
    /// Makes it large.
    pub data: [u64; 4],
}

/// A type that only bytemuck knows, valid for all bytes.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Celsius(f32);

// SAFETY: a float.
unsafe impl Zeroable for Celsius {}

// SAFETY: a float.
unsafe impl Pod for Celsius {}

/// A type that only bytemuck knows, valid for half of all bytes.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Even(u32);

// SAFETY: an integer.
unsafe impl NoUninit for Even {}

// SAFETY: an integer is valid whenever the type's own rule allows it.
unsafe impl CheckedBitPattern for Even {
    type Bits = u32;

    fn is_valid_bit_pattern(bits: &u32) -> bool {
        bits.is_multiple_of(2)
    }
}
