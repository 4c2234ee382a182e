//! The fluid in the cavity, and how it moves on.
//!
//! There is an array for each population, whose halo is as wide as the population needs it: one cell on the side that it
//! comes from. So only what crosses a face travels, five of the nineteen populations, and along edges one.
//!
//! Walls are halos, too. Beyond the walls a population finds what was reflected half-way to them, which each image writes
//! there itself: exchanges leave halos alone that lie beyond the whole array.

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
    /// The velocity of the lid, along x, in cells for a step.
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

    /// Whether the first of this image's cells holds numbers.
    pub(crate) fn is_finite(&self) -> bool {
        self.now[0].interior()[[0; 3]].is_finite()
    }

    /// Computes the next step, together with the neighbours; to be called by all images.
    pub(crate) fn step(&mut self, clock: &mut Clock) {
        self.reflect();
        // All are on their way before any is waited for.
        let exchanging = clock.communicate(|| self.now.each_mut().map(HaloArray::exchange_start));
        clock.wait(|| exchanging.map(Exchanging::finish));

        let now = self.now.each_ref().map(HaloArray::local);
        let shape = self.blocks.block_shape(this_image());
        // A population with a halo before the block finds what arrives in a cell at the cell's own index, less one for
        // the velocity and one more for the halo; one with a halo behind it finds it one further.
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

    /// Writes behind the walls what they reflect.
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
