//! Random arrays and exchanges.

use coarray::grid::{Exchange, Halo, ImageGrid};
use coarray_proptests::{Setting, mix};
use proptest::prelude::*;

/// Most images of a job.
const IMAGES: usize = 12;

/// The widest halo.
const WIDEST: usize = 3;

/// A random array, and what is exchanged of it.
#[derive(Clone, Debug)]
pub struct Case<const D: usize> {
    pub setting: Setting,
    pub extents: [usize; D],
    pub periodic: [bool; D],
    /// Whether the first coordinate of images counts fastest.
    pub column_major: bool,
    pub shape: [usize; D],
    pub halo: Halo<D>,
    pub rounds: Vec<Round<D>>,
    pub seed: u64,
}

/// A random exchange.
#[derive(Clone, Copy, Debug)]
pub struct Round<const D: usize> {
    pub faces_only: bool,
    pub width: Option<Halo<D>>,
    pub way: Way,
}

/// How it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    AtOnce,
    StartAndFinish,
    Drop,
    Leak,
    Several,
}

impl<const D: usize> Round<D> {
    pub fn exchange(&self) -> Exchange<D> {
        let exchange = if self.faces_only {
            Exchange::faces()
        } else {
            Exchange::all()
        };
        match self.width {
            Some(width) => exchange.width(width),
            None => exchange,
        }
    }
}

impl<const D: usize> Case<D> {
    /// The images.
    pub fn grid(&self) -> ImageGrid<D> {
        let grid = ImageGrid::new(self.extents)
            .unwrap()
            .with_periodic(self.periodic);
        match self.column_major {
            true => grid.with_column_major(),
            false => grid,
        }
    }

    pub fn any() -> impl Strategy<Value = Self> {
        let axis = (any::<bool>(), 0usize..5, 0..=WIDEST, 0..=WIDEST);
        let axes = prop::collection::vec(axis, D);
        let setting = (1..=IMAGES, any::<bool>(), 0usize..4);
        let rounds = prop::collection::vec(any::<u64>(), 1..4);
        (setting, any::<u64>(), axes, rounds).prop_map(|(setting, seed, axes, rounds)| {
            let (images, direct, nodes) = setting;
            // Half of the jobs are on one node.
            let nodes = [1, 1, 2, images][nodes].min(images);
            let extents = factors(images, seed);
            let periodic = std::array::from_fn(|axis| axes[axis].0);
            let shape = std::array::from_fn(|axis| extents[axis] + axes[axis].1);
            let widest = |axis: usize, width: usize| {
                let has_neighbours = extents[axis] > 1 || periodic[axis];
                let smallest: usize = shape[axis] / extents[axis];
                width.min(if has_neighbours { smallest } else { WIDEST })
            };
            let halo = Halo {
                lower: std::array::from_fn(|axis| widest(axis, axes[axis].2)),
                upper: std::array::from_fn(|axis| widest(axis, axes[axis].3)),
            };
            let rounds = rounds.into_iter().map(|seed| round(seed, &halo)).collect();
            Self {
                setting: Setting {
                    direct,
                    nodes,
                    ..Setting::of(images)
                },
                extents,
                periodic,
                column_major: mix(seed, 1000).is_multiple_of(4),
                shape,
                halo,
                rounds,
                seed,
            }
        })
    }
}

/// Any factorisation.
fn factors<const D: usize>(images: usize, seed: u64) -> [usize; D] {
    let mut rest = images;
    let mut factors = [1; D];
    let mut number = 0;
    for prime in [2, 3, 5, 7, 11] {
        while rest.is_multiple_of(prime) {
            rest /= prime;
            number += 1;
            factors[mix(seed, number) as usize % D] *= prime;
        }
    }
    assert_eq!(rest, 1);
    factors
}

fn round<const D: usize>(seed: u64, halo: &Halo<D>) -> Round<D> {
    let part = |widths: [usize; D], side: u64| {
        let of = |axis| mix(seed, 10 * side + axis as u64) as usize % (widths[axis] + 1);
        std::array::from_fn(of)
    };
    let partial = Halo {
        lower: part(halo.lower, 1),
        upper: part(halo.upper, 2),
    };
    let ways = [
        Way::AtOnce,
        Way::StartAndFinish,
        Way::Drop,
        Way::Leak,
        Way::Several,
    ];
    let way = ways[mix(seed, 3) as usize % ways.len()];
    let is_all = way == Way::Several;
    Round {
        faces_only: !is_all && mix(seed, 1) & 1 == 1,
        width: (!is_all && mix(seed, 2) & 1 == 1).then_some(partial),
        way,
    }
}
