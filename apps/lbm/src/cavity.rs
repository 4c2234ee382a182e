//! The fluid in the cavity, and how it moves on.
//!
//! Each population has an array, with a halo of one cell only on the sides from which the population comes. So five of
//! the nineteen populations travel across a face, and one across an edge.
//!
//! Walls are halos, too. The halo beyond a wall holds the populations that the wall reflects half-way. Each image
//! writes them there itself: exchanges do not touch halos that lie beyond the whole array.

use std::array;

use coarray::grid::{Blocks, Exchanging, GridError, Halo, HaloArray};
use coarray::ndarray::{ArrayView3, s};
use coarray::prelude::*;

use crate::stream::advance;
use crate::walls::reflect;
use lbm::lattice::{Q, VELOCITIES, WEIGHTS};
use program::shares::Clock;

type Arrays = [HaloArray<f64, 3>; Q];

/// The fluid. Cells are numbered by x, y and z.
pub(crate) struct Cavity {
    blocks: Blocks<3>,
    /// The populations of the cells, after their collision.
    now: Arrays,
    next: Arrays,
    /// The share by which populations relax in a step.
    relaxation: f64,
    /// The velocity of the lid, along x, in cells per step.
    lid: f64,
}

impl Cavity {
    /// Collective. A fluid of density 1 at rest.
    pub(crate) fn new(blocks: &Blocks<3>, relaxation: f64, lid: f64) -> Result<Self, GridError> {
        Ok(Self {
            blocks: blocks.clone(),
            now: arrays(blocks)?,
            next: arrays(blocks)?,
            relaxation,
            lid,
        })
    }

    /// The populations of this image's cells.
    pub(crate) fn populations(&self) -> [ArrayView3<'_, f64>; Q] {
        self.now.each_ref().map(HaloArray::interior)
    }

    /// Whether the first of this image's cells is finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.now[0].interior()[[0; 3]].is_finite()
    }

    /// Computes the next step, together with the neighbours; to be called by all images.
    pub(crate) fn step(&mut self, clock: &mut Clock) {
        self.reflect();
        // All exchanges start before the first is waited for.
        let exchanging = clock.communicate(|| self.now.each_mut().map(HaloArray::exchange_start));
        clock.wait(|| exchanging.map(Exchanging::finish));

        let now = self.now.each_ref().map(HaloArray::local);
        let shape = self.blocks.block_shape(this_image());
        // A population arrives in a cell from the cell's index minus its velocity. A halo before the block adds 1: in
        // sum the index shifts by 1 for velocity -1, whose halo is behind the block, and else by 0.
        let arriving = array::from_fn(|number| {
            let [x, y, z] = array::from_fn(|axis| {
                let shift = usize::from(VELOCITIES[number][axis] < 0);
                shift..shift + shape[axis]
            });
            now[number].slice(s![x, y, z])
        });
        let mut next = self.next.each_mut().map(HaloArray::interior_mut);
        advance(&arriving, &mut next, self.relaxation);
        std::mem::swap(&mut self.now, &mut self.next);
    }

    /// Writes the populations that walls reflect into the halos behind them.
    fn reflect(&mut self) {
        let (_, pairs) = self.now.split_at_mut(1);
        for (pair, arrays) in pairs.chunks_exact_mut(2).enumerate() {
            let [there, back] = arrays else {
                unreachable!("populations but the first come in pairs")
            };
            reflect(there, back, 2 * pair + 1, self.lid);
            reflect(back, there, 2 * pair + 2, self.lid);
        }
    }
}

/// Collective. The populations of a fluid at rest.
fn arrays(blocks: &Blocks<3>) -> Result<Arrays, GridError> {
    let made: Result<Vec<_>, _> = VELOCITIES
        .iter()
        .zip(WEIGHTS)
        .map(|(velocity, weight)| {
            let halo = Halo {
                lower: velocity.map(|part| usize::from(part > 0)),
                upper: velocity.map(|part| usize::from(part < 0)),
            };
            HaloArray::filled(blocks, halo, weight)
        })
        .collect();
    Ok(made?.try_into().expect("an array for each population"))
}
