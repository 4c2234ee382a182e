//! The fluid in the cavity, and how it moves on.
//!
//! There is an array for each population, whose halo is as wide as the population needs it: one cell on the side that it
//! comes from. So only what crosses a face travels, five of the nineteen populations, and along edges one.
//!
//! Walls are halos, too. Beyond the walls a population finds what was reflected half-way to them, which each image writes
//! there itself: exchanges leave halos alone that lie beyond the whole array.

use std::array;
use std::ops::Range;

use coarray::grid::{Exchanging, GridError, Halo};
use coarray::ndarray::{ArrayView3, ArrayViewMut3, s};
use coarray::prelude::*;

use crate::lattice::{Q, VELOCITIES, WEIGHTS};
use crate::shares::Clock;
use crate::stream::{advance, advance_across};

/// The axis whose upper wall is the lid.
const UP: usize = 2;

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
    overlap: bool,
}

impl Cavity {
    /// Collective. A fluid of density 1 at rest.
    pub(crate) fn new(
        blocks: &Blocks<3>,
        relaxation: f64,
        lid: f64,
        overlap: bool,
    ) -> Result<Self, GridError> {
        Ok(Self {
            blocks: blocks.clone(),
            now: arrays(blocks)?,
            next: arrays(blocks)?,
            relaxation,
            lid,
            overlap,
        })
    }

    /// The populations of this image's cells.
    pub(crate) fn populations(&self) -> [ArrayView3<'_, f64>; Q] {
        self.now.each_ref().map(HaloArray::interior)
    }

    /// Computes the next step, together with the neighbours; to be called by all images.
    pub(crate) fn step(&mut self, clock: &mut Clock) {
        self.reflect();
        let relaxation = self.relaxation;
        let shape = self.blocks.block_shape(this_image());
        let whole = shape.map(|cells| 0..cells);
        // A block with one or two cells on an axis is all rim.
        let inner = shape.map(|cells| 1..(cells - 1).max(1));
        let mut next = self.next.each_mut().map(HaloArray::interior_mut);

        let exchanging = clock.communicate(|| self.now.each_mut().map(HaloArray::exchange_start));
        if self.overlap && inner.iter().all(|range| !range.is_empty()) {
            // Cells that need no other image's, while those travel.
            let now = exchanging.each_ref().map(Exchanging::interior);
            advance(
                &shifted(&now, &inner, |part| -part),
                &mut cut(&mut next, &inner),
                relaxation,
            );
        }
        clock.wait(|| exchanging.map(Exchanging::finish));
        let now = self.now.each_ref().map(HaloArray::local);
        let sources = |cells: &Cells| shifted(&now, cells, |part| isize::from(part < 0));
        if self.overlap {
            for cells in rim(&inner, &whole, 0)
                .into_iter()
                .chain(rim(&inner, &whole, 1))
            {
                advance(&sources(&cells), &mut cut(&mut next, &cells), relaxation);
            }
            // Lines along the last axis would have one cell.
            for cells in rim(&inner, &whole, 2) {
                advance_across(&sources(&cells), &mut cut(&mut next, &cells), relaxation);
            }
        } else {
            advance(&sources(&whole), &mut next, relaxation);
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }

    /// Writes behind the walls what they reflect.
    fn reflect(&mut self) {
        let own = self.blocks.own_range();
        let extents = self.blocks.shape();
        let periodic = self.blocks.grid().periodic();
        let (_, pairs) = self.now.split_at_mut(1);
        for (pair, arrays) in pairs.chunks_exact_mut(2).enumerate() {
            let [there, back] = arrays else {
                unreachable!("populations but the first come in pairs")
            };
            let reflect = |into: &mut HaloArray<f64, 3>,
                           from: &HaloArray<f64, 3>,
                           number: usize| {
                let velocity = VELOCITIES[number];
                // The lid's axis is the last: it counts where the lid meets another wall.
                for axis in 0..3 {
                    let comes_from_wall = match velocity[axis] {
                        1 => own[axis].start == 0,
                        -1 => own[axis].end == extents[axis],
                        _ => false,
                    };
                    if periodic[axis] || !comes_from_wall {
                        continue;
                    }
                    let mut cells = own.clone().map(|range| 0..range.len());
                    let last = cells[axis].end - 1;
                    cells[axis] = if velocity[axis] == 1 {
                        0..1
                    } else {
                        last..last + 1
                    };
                    // What a moving wall adds: A. J. C. Ladd, Journal of Fluid Mechanics 271, 1994.
                    let push = match (axis, velocity[axis]) {
                        (UP, -1) => 6.0 * WEIGHTS[number] * self.lid * velocity[0] as f64,
                        _ => 0.0,
                    };
                    let mut beyond = into.local_mut();
                    let [x, y, z] = array::from_fn(|axis| {
                        let shift = usize::from(velocity[axis] < 0);
                        cells[axis].start + shift..cells[axis].end + shift
                    });
                    let mut beyond = beyond.slice_mut(s![x, y, z]);
                    let [x, y, z] = cells;
                    let reflected = from.interior();
                    let reflected = reflected.slice(s![x, y, z]);
                    beyond.zip_mut_with(&reflected, |beyond, reflected| *beyond = reflected + push);
                }
            };
            reflect(there, back, 2 * pair + 1);
            reflect(back, there, 2 * pair + 2);
        }
    }
}

/// Some cells of a block.
type Cells = [Range<usize>; 3];

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

/// Where the populations come from that arrive in some cells: for each part of a velocity `shift` tells how far
/// that is along the axis.
fn shifted<'a>(
    arrays: &'a [ArrayView3<'_, f64>; Q],
    cells: &Cells,
    shift: impl Fn(isize) -> isize,
) -> [ArrayView3<'a, f64>; Q] {
    array::from_fn(|number| {
        let [x, y, z] = array::from_fn(|axis| {
            let range = &cells[axis];
            let shift = shift(VELOCITIES[number][axis]);
            let start = range.start.saturating_add_signed(shift);
            start..start + range.len()
        });
        arrays[number].slice(s![x, y, z])
    })
}

fn cut<'a>(
    arrays: &'a mut [ArrayViewMut3<'_, f64>; Q],
    cells: &Cells,
) -> [ArrayViewMut3<'a, f64>; Q] {
    let [x, y, z] = cells;
    arrays
        .each_mut()
        .map(|array| array.slice_mut(s![x.clone(), y.clone(), z.clone()]))
}

/// The first and the last layer of a block along an axis, without those of the axes before.
fn rim(inner: &Cells, whole: &Cells, axis: usize) -> Vec<Cells> {
    let layer = |range: Range<usize>| {
        array::from_fn(|other| match other {
            _ if other < axis => inner[other].clone(),
            _ if other == axis => range.clone(),
            _ => whole[other].clone(),
        })
    };
    let last = whole[axis].len() - 1;
    let layers = [0, last].into_iter().take(if last == 0 { 1 } else { 2 });
    layers.map(|first| layer(first..first + 1)).collect()
}
