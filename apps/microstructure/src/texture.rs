//! The distribution of misorientations of grains that touch.

use crate::contacts::Contacts;
use crate::cubic::Orientations;
use crate::goodness::ChiSquare;
use crate::mackenzie;
use program::histogram::Histogram;

/// Degrees of a bin.
const BIN: f64 = 2.0;

/// Misorientations of grains that touch.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Each pair of grains counts once.
    pub pairs: Histogram,
    /// Each pair counts with the area between the grains, in faces of cells.
    pub faces: Histogram,
}

impl Texture {
    /// Of all pairs that touch.
    pub fn of(contacts: &Contacts, orientations: &Orientations) -> Self {
        let empty = Histogram::new(0.0, BIN, (mackenzie::LARGEST / BIN).ceil() as usize);
        let (mut pairs, mut faces) = (empty.clone(), empty);
        for (&(one, other), &area) in contacts {
            let angle = orientations.misorientation(one, other);
            pairs.add(angle, 1.0);
            faces.add(angle, area as f64);
        }
        Self { pairs, faces }
    }

    /// Compares the pairs with the distribution for random orientations.
    ///
    /// Pairs that share a grain are still pairwise independent, so the expected counts and their spread are the same as
    /// for independent pairs.
    pub fn compare(&self) -> ChiSquare {
        let counts: Vec<u64> = self
            .pairs
            .weights
            .iter()
            .map(|&count| count as u64)
            .collect();
        let pairs = self.pairs.total();
        let expected: Vec<f64> = (0..counts.len())
            .map(|bin| self.pairs.edges(bin))
            .map(|(from, to)| mackenzie::probability(from, to) * pairs)
            .collect();
        ChiSquare::of(&counts, &expected)
    }
}

/// Points of the theoretical curve.
pub fn theory() -> Vec<(f64, f64)> {
    let halves = (0..).map(|half| f64::from(half) / 2.0);
    halves
        .take_while(|&angle| angle < mackenzie::LARGEST)
        .chain([mackenzie::LARGEST])
        .map(|angle| (angle, mackenzie::density(angle)))
        .collect()
}
