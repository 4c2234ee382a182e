//! Where the grains begin: at random cells, all different.
//!
//! Nucleus `g` is at the place that a random permutation of all cells gives to `g`. The permutation is a Feistel
//! network over the next power of four, walked until it comes back into the range: M. Luby and C. Rackoff, *How to
//! construct pseudorandom permutations from pseudorandom functions*, SIAM J. Comput. 17, 1988; J. Black and P.
//! Rogaway, *Ciphers with arbitrary finite domains*, CT-RSA 2002. So every image knows all nuclei, and none keeps a
//! list.

use crate::random::{Purpose, Random};

/// The nuclei of a model.
#[derive(Clone, Copy, Debug)]
pub struct Nuclei {
    random: Random,
    cells: u64,
    half: u32,
    count: u32,
}

const ROUNDS: u32 = 8;

impl Nuclei {
    /// One nucleus for `cells_per_grain` cells, but at least one.
    pub fn new(random: Random, cells: u64, cells_per_grain: u64) -> Self {
        let count = (cells / cells_per_grain).max(1);
        let bits = u64::BITS - (cells - 1).leading_zeros();
        Self {
            random,
            cells,
            half: bits.div_ceil(2).max(1),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        }
    }

    /// How many grains there are. They are numbered from 1.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The cell where a grain begins.
    pub fn cell(&self, grain: u32) -> u64 {
        let mut cell = u64::from(grain - 1);
        loop {
            cell = self.shuffled(cell);
            if cell < self.cells {
                return cell;
            }
        }
    }

    fn shuffled(&self, word: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (mut left, mut right) = (word >> self.half, word & mask);
        for round in 0..ROUNDS {
            let [low, ..] = self.random.block(Purpose::Nuclei, right, round);
            (left, right) = (right, left ^ (u64::from(low) & mask));
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_different_and_in_range() {
        for cells in [1, 2, 3, 15, 16, 17, 1000, 4097] {
            for seed in 0..4 {
                let nuclei = Nuclei::new(Random::new(seed), cells, 1);
                let mut seen: Vec<u64> = (1..=nuclei.count()).map(|g| nuclei.cell(g)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..cells), "{cells} cells, seed {seed}");
            }
        }
    }

    #[test]
    fn there_is_always_a_nucleus() {
        assert_eq!(Nuclei::new(Random::new(1), 10, 11).count(), 1);
        assert_eq!(Nuclei::new(Random::new(1), 1000, 100).count(), 10);
    }

    #[test]
    fn no_part_of_the_model_is_preferred() {
        let cells = 1_000_000;
        let mut parts = [0u32; 50];
        for seed in 0..20 {
            let nuclei = Nuclei::new(Random::new(seed), cells, 1000);
            for grain in 1..=nuclei.count() {
                parts[(nuclei.cell(grain) * 50 / cells) as usize] += 1;
            }
        }
        let chi_square: f64 = parts
            .iter()
            .map(|&count| (f64::from(count) - 400.0).powi(2) / 400.0)
            .sum();
        // 49 degrees of freedom; exceeded once in 1000 times.
        assert!(chi_square < 85.4, "{parts:?}: {chi_square}");
    }
}
