//! An integer that is wide enough for the sum of any finite numbers.
//!
//! The finite `f64` are multiples of 2^-1074 less than 2^1024, so a sum of them, in units of 2^-1074, is an integer of some
//! 2100 bits, and a few more for the number of addends. The integer is kept as signed 64-bit chunks that lie only 32 bits
//! apart. Their upper halves collect the carries of many additions, so that an addition touches only two chunks.
//!
//! ```text
//!                         ... |<-- chunk 2 -->|               |
//!                             |       |<-- chunk 1 -->|       |
//!                             |       |       |<-- chunk 0 -->|
//! 2^-1074 times                2^96    2^64    2^32    1
//! ```
//!
//! # Source
//! U. W. Kulisch and W. L. Miranker, *Computer Arithmetic in Theory and Practice*, 1981. The chunks:
//! R. M. Neal, *Fast exact summation using small and large superaccumulators*, arXiv:1505.05571, 2015, section 3.

use super::Addend;
use super::addend::Format;
use super::extraction::{BLOCK, add_block};

/// Up to bit 2^1102: the sums of 2^64 numbers fit.
const CHUNKS: usize = 68;

/// Bits between chunks.
const DIGIT: u32 = 32;

const DIGIT_MASK: i64 = (1 << DIGIT) - 1;

/// Additions between carries. Each adds less than 2^52 to a chunk, which is less than 2^32 after a carry.
const ROOM: u32 = (1 << 11) - 1;

/// Kinds of addends that the integer does not show.
#[derive(Clone, Copy)]
enum Seen {
    Nan,
    Infinity,
    NegativeInfinity,
    /// Any finite number.
    Number,
    /// Any finite number but the negative zero.
    OtherThanNegativeZero,
}

/// Kinds of [`Seen`].
const KINDS: usize = 5;

/// A [`Superaccumulator`] as it travels.
///
/// The sum of several accumulators, word by word, is the accumulator of all their addends together. No word
/// overflows in the sum of less than 2^30 of them. Integer addition is commutative and associative: every algorithm of a
/// reduction, in any order, has the same result.
pub(crate) type Words = [i64; CHUNKS + KINDS];

/// The exact sum of any numbers.
#[derive(Clone, Debug)]
pub(crate) struct Superaccumulator {
    chunks: [i64; CHUNKS],
    seen: [bool; KINDS],
    /// How many more numbers can be added before a carry.
    room: u32,
}

impl Superaccumulator {
    /// The sum of no numbers.
    pub(crate) fn new() -> Self {
        Self {
            chunks: [0; CHUNKS],
            seen: [false; KINDS],
            room: ROOM,
        }
    }

    /// Adds all of them.
    pub(crate) fn add_all<T: Addend>(&mut self, values: &[T]) {
        let mut blocks = values.chunks(BLOCK);
        while let Some(block) = blocks.next() {
            if !add_block(self, block) {
                self.add_few(block);
                // The next blocks are probably far apart, too, and a vain attempt costs a third of adding.
                for block in blocks.by_ref().take(3) {
                    self.add_few(block);
                }
            }
        }
    }

    /// Adds one after the other, at most [`BLOCK`].
    pub(super) fn add_few<T: Format>(&mut self, values: &[T]) {
        assert!(values.len() <= BLOCK && BLOCK as u32 <= ROOM);
        if self.room < values.len() as u32 {
            self.carry();
        }
        self.room -= values.len() as u32;
        let mut numbers = false;
        let mut other_bits = 0;
        for value in values {
            let bits = value.widen().to_bits();
            let exponent = (bits >> 52) & 0x7ff;
            if exponent == 0x7ff {
                self.see_special(bits);
                continue;
            }
            numbers = true;
            other_bits |= bits ^ (-0.0_f64).to_bits();
            // The number is `integer` 2^(`place` - 1074). Subnormal numbers lack the leading bit, not the
            // exponent 1.
            let leading = exponent.min(1) << 52;
            let magnitude = (bits & ((1 << 52) - 1) | leading) as i64;
            let sign = bits as i64 >> 63;
            let integer = (magnitude ^ sign) - sign;
            let place = exponent.saturating_sub(1) as u32;
            let (chunk, shift) = ((place / DIGIT) as usize, place % DIGIT);
            self.chunks[chunk] += (integer << shift) & DIGIT_MASK;
            self.chunks[chunk + 1] += integer >> (DIGIT - shift);
        }
        self.seen[Seen::Number as usize] |= numbers;
        self.seen[Seen::OtherThanNegativeZero as usize] |= other_bits != 0;
    }

    #[cold]
    fn see_special(&mut self, bits: u64) {
        let kind = match f64::from_bits(bits) {
            f64::INFINITY => Seen::Infinity,
            f64::NEG_INFINITY => Seen::NegativeInfinity,
            _ => Seen::Nan,
        };
        self.seen[kind as usize] = true;
    }

    fn saw(&self, kind: Seen) -> bool {
        self.seen[kind as usize]
    }

    /// Carries, so that all chunks but the last are digits of 32 bits. The last one has the sign.
    fn carry(&mut self) {
        let mut carry = 0;
        for chunk in &mut self.chunks[..CHUNKS - 1] {
            let value = *chunk + carry;
            *chunk = value & DIGIT_MASK;
            carry = value >> DIGIT;
        }
        self.chunks[CHUNKS - 1] += carry;
        self.room = ROOM;
    }

    /// The accumulator in the form in which it travels.
    pub(crate) fn into_words(mut self) -> Words {
        self.carry();
        let mut words = [0; CHUNKS + KINDS];
        words[..CHUNKS].copy_from_slice(&self.chunks);
        for (word, seen) in words[CHUNKS..].iter_mut().zip(self.seen) {
            *word = i64::from(seen);
        }
        words
    }

    /// The sum of the accumulators that travelled as these words.
    ///
    /// # Panics
    /// If they are not as long as [`Words`].
    pub(crate) fn merged(all: &[&[i64]]) -> Self {
        let mut sums: Words = [0; CHUNKS + KINDS];
        for words in all {
            assert_eq!(words.len(), sums.len(), "not the words of an accumulator");
            for (sum, word) in sums.iter_mut().zip(*words) {
                *sum += word;
            }
        }
        Self::from_words(&sums)
    }

    /// The accumulator that travelled as these words, or all whose sum they are.
    pub(crate) fn from_words(words: &Words) -> Self {
        let mut sum = Self::new();
        sum.chunks.copy_from_slice(&words[..CHUNKS]);
        for (seen, word) in sum.seen.iter_mut().zip(&words[CHUNKS..]) {
            *seen = *word != 0;
        }
        sum.carry();
        sum
    }

    /// The sum, rounded to nearest, ties to even.
    ///
    /// Any NaN, or infinities of both signs, make a NaN, always the same. The sum of no numbers is 0.0, that of negative zeros
    /// only is -0.0, and any other sum that is zero is 0.0.
    pub(crate) fn round<T: Format>(mut self) -> T {
        let infinities = [Seen::Infinity, Seen::NegativeInfinity].map(|kind| self.saw(kind));
        match infinities {
            _ if self.saw(Seen::Nan) => return T::nan(),
            [true, true] => return T::nan(),
            [true, false] => return T::infinity(),
            [false, true] => return T::neg_infinity(),
            [false, false] => {}
        }
        self.carry();
        let negative = self.chunks[CHUNKS - 1] < 0;
        if negative {
            self.chunks.iter_mut().for_each(|chunk| *chunk = -*chunk);
            self.carry();
        }
        let Some(highest) = self.chunks.iter().rposition(|chunk| *chunk != 0) else {
            return if self.saw(Seen::Number) && !self.saw(Seen::OtherThanNegativeZero) {
                T::neg_zero()
            } else {
                T::zero()
            };
        };
        let length = (highest as u32 + 1) * DIGIT - (self.chunks[highest] as u32).leading_zeros();
        let magnitude = T::from_magnitude(self.nearest::<T>(length));
        if negative { -magnitude } else { magnitude }
    }

    /// The bits of the number nearest to the sum, which is not negative and has `length` bits.
    fn nearest<T: Format>(&self, length: u32) -> u64 {
        // Subnormal numbers have fewer bits: they are multiples of the smallest positive number.
        let lowest = length.saturating_sub(T::PRECISION).max(T::LEAST_BIT);
        let kept = self.bits(lowest, T::PRECISION);
        let up = lowest > 0 && {
            let half = self.bits(lowest - 1, 1) == 1;
            half && (kept & 1 == 1 || self.any_below(lowest - 1))
        };
        // Adding the leading one of a normal number increments the exponent field, which starts from 1; so does a carry out of
        // the fraction.
        let exponent = u64::from(lowest - T::LEAST_BIT) << (T::PRECISION - 1);
        let infinity = exponent_limit::<T>();
        (exponent + kept + u64::from(up)).min(infinity)
    }

    /// Bits `from .. from + count` of the sum, at most 64.
    fn bits(&self, from: u32, count: u32) -> u64 {
        let digit = |index: u32| self.chunks.get(index as usize).copied().unwrap_or(0) as u128;
        let first = from / DIGIT;
        let three = digit(first) | digit(first + 1) << DIGIT | digit(first + 2) << (2 * DIGIT);
        ((three >> (from % DIGIT)) & ((1 << count) - 1)) as u64
    }

    /// Whether any of the bits `.. end` of the sum is one.
    fn any_below(&self, end: u32) -> bool {
        let whole = (end / DIGIT) as usize;
        self.bits(whole as u32 * DIGIT, end % DIGIT) != 0
            || self.chunks[..whole].iter().any(|chunk| *chunk != 0)
    }
}

/// The bits of infinity: all ones in the exponent.
fn exponent_limit<T: Format>() -> u64 {
    let exponent_bits = 8 * size_of::<T>() as u32 - T::PRECISION;
    ((1 << exponent_bits) - 1) << (T::PRECISION - 1)
}
