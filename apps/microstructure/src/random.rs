//! Random numbers as functions of the seed, their purpose, a cell and an iteration only.
//!
//! So they do not depend on which image draws them, nor in which order. The generator is Philox4x32-10 of J. K. Salmon,
//! M. A. Moraes, R. O. Dror and D. E. Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC11,
//! <https://doi.org/10.1145/2063384.2063405>.

/// The purpose of random numbers; numbers for different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Which neighbour a liquid cell takes its state from.
    Growth = 0,
    /// Where the nuclei are.
    Nuclei = 1,
    /// How the lattice of a grain is turned.
    Orientations = 2,
}

/// The random numbers of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    key: [u32; 2],
}

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;

impl Random {
    /// The random numbers of this seed.
    pub fn new(seed: u64) -> Self {
        Self { key: halves(seed) }
    }

    /// 128 random bits.
    #[inline]
    pub fn block(&self, purpose: Purpose, index: u64, step: u32) -> [u32; 4] {
        let [low, high] = halves(index);
        philox([low, high, step, purpose as u32], self.key)
    }

    /// A number from 0 to `end - 1`.
    ///
    /// One number is likelier than another by at most `end` in 2⁶⁴.
    #[inline]
    pub fn below(&self, end: u32, purpose: Purpose, index: u64, step: u32) -> usize {
        let [low, high, ..] = self.block(purpose, index, step);
        let bits = u64::from(high) << 32 | u64::from(low);
        ((u128::from(bits) * u128::from(end)) >> 64) as usize
    }

    /// Two numbers, each from -1 up to but not including 1.
    pub fn two_signed(&self, purpose: Purpose, index: u64, step: u32) -> [f64; 2] {
        let [a, b, c, d] = self.block(purpose, index, step);
        [[a, b], [c, d]].map(|[low, high]| {
            let bits = u64::from(high) << 32 | u64::from(low);
            // A double holds 53 bits; the division is exact.
            (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        })
    }
}

fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

#[inline]
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..ROUNDS {
        let first = u64::from(MULTIPLIERS[0]) * u64::from(counter[0]);
        let second = u64::from(MULTIPLIERS[1]) * u64::from(counter[2]);
        counter = [
            (second >> 32) as u32 ^ counter[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ counter[3] ^ key[1],
            first as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_answers() {
        // The lines `philox4x32 10` of the file kat_vectors that comes with Random123.
        let known = [
            (
                [0; 4],
                [0; 2],
                [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            ),
            (
                [u32::MAX; 4],
                [u32::MAX; 2],
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, answer) in known {
            assert_eq!(philox(counter, key), answer);
        }
    }

    #[test]
    fn the_key_and_all_of_the_counter_matter() {
        let of = |seed, purpose, index, step| Random::new(seed).block(purpose, index, step);
        let base = of(1, Purpose::Growth, 2, 3);
        assert_eq!(base, of(1, Purpose::Growth, 2, 3));
        for other in [
            of(1 << 32 | 1, Purpose::Growth, 2, 3),
            of(1, Purpose::Nuclei, 2, 3),
            of(1, Purpose::Growth, 1 << 32 | 2, 3),
            of(1, Purpose::Growth, 2, 4),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn all_of_26_are_equally_likely() {
        let random = Random::new(7);
        let mut seen = [0u32; 26];
        for cell in 0..26_000 {
            for iteration in 0..10 {
                seen[random.below(26, Purpose::Growth, cell, iteration)] += 1;
            }
        }
        let expected = 10_000.0;
        let chi_square: f64 = seen
            .iter()
            .map(|&count| (f64::from(count) - expected).powi(2) / expected)
            .sum();
        // 25 degrees of freedom; exceeded once in 1000 times.
        assert!(chi_square < 52.6, "{seen:?}: {chi_square}");
    }

    #[test]
    fn signed_numbers_fill_their_range() {
        let random = Random::new(3);
        let (mut sum, mut square) = (0.0, 0.0);
        let count = 100_000;
        for index in 0..count {
            for x in random.two_signed(Purpose::Orientations, index, 0) {
                assert!((-1.0..1.0).contains(&x));
                sum += x;
                square += x * x;
            }
        }
        let numbers = 2.0 * count as f64;
        assert!((sum / numbers).abs() < 0.006);
        assert!((square / numbers - 1.0 / 3.0).abs() < 0.003);
    }
}
