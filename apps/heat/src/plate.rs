//! The plate, and how its heat spreads.

use coarray::grid::{Blocks, Exchange, GridError, HaloArray};
use coarray::ndarray::{ArrayView2, ArrayViewMut2, s};
use coarray::prelude::*;
use program::shares::Clock;

/// The temperatures of a plate whose edges are kept at 0.
pub(crate) struct Plate {
    now: HaloArray<f64, 2>,
    /// In both arrays the halo beyond the edges holds the temperature of the edges; exchanges do not touch it.
    next: HaloArray<f64, 2>,
    diffusion: f64,
    overlap: bool,
}

impl Plate {
    /// Collective. A plate that starts with these temperatures.
    pub(crate) fn new(
        blocks: &Blocks<2>,
        diffusion: f64,
        overlap: bool,
        temperature: impl Fn([usize; 2]) -> f64,
    ) -> Result<Self, GridError> {
        let mut now = HaloArray::filled(blocks, 1, 0.0)?;
        let me = this_image();
        for ((row, column), cell) in now.interior_mut().indexed_iter_mut() {
            *cell = temperature(blocks.global(me, [row, column]));
        }
        Ok(Self {
            now,
            next: HaloArray::filled(blocks, 1, 0.0)?,
            diffusion,
            overlap,
        })
    }

    /// The temperatures.
    pub(crate) fn temperatures(&self) -> &HaloArray<f64, 2> {
        &self.now
    }

    /// Computes the next step, together with the neighbours; to be called by all images.
    pub(crate) fn step(&mut self, clock: &mut Clock) {
        let diffusion = self.diffusion;
        let mut next = self.next.interior_mut();
        let (rows, columns) = next.dim();
        // A block of one row or column is all rim.
        let inner = s![1..(rows - 1).max(1), 1..(columns - 1).max(1)];

        let faces = Exchange::faces();
        let exchanging = clock.communicate(|| self.now.exchange_start_with(&faces));
        if self.overlap {
            // The cells that need no halo, while the halos travel.
            spread(exchanging.interior(), next.slice_mut(inner), diffusion);
        }
        clock.wait(|| exchanging.finish());
        let now = self.now.local();
        if self.overlap {
            let mut rim = |first: [usize; 2], extent: [usize; 2]| {
                let [row, column] = first;
                let [rows, columns] = extent;
                let around = now.slice(s![row..row + rows + 2, column..column + columns + 2]);
                let cells = next.slice_mut(s![row..row + rows, column..column + columns]);
                spread(around, cells, diffusion);
            };
            rim([0, 0], [1, columns]);
            if rows > 1 {
                rim([rows - 1, 0], [1, columns]);
            }
            if rows > 2 {
                rim([1, 0], [rows - 2, 1]);
                rim([1, columns - 1], [rows - 2, 1]);
            }
        } else {
            spread(now, next, diffusion);
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

/// Computes the next temperatures of some cells from the present ones of these cells and the cells around them: `now`
/// has one row or column more on each side.
fn spread(now: ArrayView2<f64>, mut next: ArrayViewMut2<f64>, diffusion: f64) {
    let columns = next.ncols();
    if columns == 0 {
        return;
    }
    for (row, mut next) in next.outer_iter_mut().enumerate() {
        let line = |row: usize| now.row(row).to_slice().expect("rows lie in one piece");
        let (north, here, south) = (line(row), line(row + 1), line(row + 2));
        let next = next.as_slice_mut().expect("rows lie in one piece");
        // All slices have the same length, so that the loop needs no checks.
        let (north, south) = (&north[1..=columns], &south[1..=columns]);
        let (west, east) = (&here[..columns], &here[2..columns + 2]);
        let here = &here[1..=columns];
        for column in 0..columns {
            let around = (north[column] + south[column]) + (west[column] + east[column]);
            next[column] = here[column] + diffusion * (around - 4.0 * here[column]);
        }
    }
}
