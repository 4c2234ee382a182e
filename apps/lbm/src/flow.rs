//! The flow, from the populations.

use std::ops::Range;

use coarray::collectives::co_total_reproducible;
use coarray::grid::{Blocks, GridError, HaloArray};
use coarray::ndarray::{Array2, Axis};
use coarray::prelude::*;

use crate::cavity::Cavity;
use lbm::lattice::{Q, moments};
use program::checksum::checksum;

/// Density and velocity of this image's cells.
pub(crate) struct Flow {
    density: HaloArray<f64, 3>,
    velocity: [HaloArray<f64, 3>; 3],
    checksum: u64,
}

/// The flow in the plane half-way along the span, in units of the lid's velocity.
pub(crate) struct Plane {
    /// The velocity along x, by x and z.
    pub(crate) along: Array2<f64>,
    /// The velocity along z, by x and z.
    pub(crate) up: Array2<f64>,
}

impl Flow {
    /// Collective. The flow of a fluid.
    pub(crate) fn of(cavity: &Cavity, blocks: &Blocks<3>) -> Result<Self, GridError> {
        let new = || HaloArray::filled(blocks, 0, 0.0);
        let (mut density, mut velocity) = (new()?, [new()?, new()?, new()?]);
        let populations = cavity.populations();
        let [_, rows, columns] = blocks.shape();
        let me = this_image();
        let mut numbered = Vec::new();
        for ((x, y, z), density) in density.interior_mut().indexed_iter_mut() {
            let of_cell: [f64; Q] = populations
                .each_ref()
                .map(|population| population[[x, y, z]]);
            let (mass, flow) = moments(&of_cell);
            *density = mass;
            for (velocity, flow) in velocity.iter_mut().zip(flow) {
                velocity.interior_mut()[[x, y, z]] = flow;
            }
            let [i, j, k] = blocks.global(me, [x, y, z]);
            let cell = (i * rows + j) * columns + k;
            let values = of_cell.into_iter().enumerate();
            numbered.extend(values.map(|(number, value)| (cell * Q + number, value)));
        }
        Ok(Self {
            density,
            velocity,
            checksum: checksum(numbered.into_iter()),
        })
    }

    /// The checksum of all populations, bit for bit.
    pub(crate) fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Collective. The mass of all cells, the same on any number of images.
    pub(crate) fn mass(&self) -> f64 {
        let densities: Vec<f64> = self.density.interior().iter().copied().collect();
        co_total_reproducible(&densities)
    }

    /// Collective. The plane half-way along the span, on image 0.
    pub(crate) fn middle(&self, lid: f64) -> Option<Plane> {
        let [along, _, up] = &self.velocity;
        let plane = |velocity: &HaloArray<f64, 3>| {
            let [x, y, z] = velocity.blocks().shape();
            let slice = velocity.gather_slice(0, [0..x, middle(y), 0..z])?;
            Some(slice.mean_axis(Axis(1))? / lid)
        };
        let (along, up) = (plane(along), plane(up));
        Some(Plane {
            along: along?,
            up: up?,
        })
    }
}

impl Plane {
    /// The velocity along x on the vertical line through the middle, by z.
    pub(crate) fn vertical_line(&self) -> Vec<f64> {
        let columns = middle(self.along.nrows());
        let sum = |z: usize| columns.clone().map(|x| self.along[[x, z]]).sum::<f64>();
        (0..self.along.ncols())
            .map(|z| sum(z) / columns.len() as f64)
            .collect()
    }

    /// The velocity along z on the horizontal line through the middle, by x.
    pub(crate) fn horizontal_line(&self) -> Vec<f64> {
        let rows = middle(self.up.ncols());
        let sum = |x: usize| rows.clone().map(|z| self.up[[x, z]]).sum::<f64>();
        (0..self.up.nrows())
            .map(|x| sum(x) / rows.len() as f64)
            .collect()
    }
}

/// The cell in the middle, or the two beside it.
fn middle(cells: usize) -> Range<usize> {
    (cells - 1) / 2..cells / 2 + 1
}
