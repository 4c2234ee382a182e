//! Walls that reflect populations half-way to the next cell, and a lid that pushes them as well.

use std::array;

use coarray::grid::HaloArray;
use coarray::ndarray::s;

use lbm::lattice::{VELOCITIES, WEIGHTS};

/// The axis whose upper wall is the lid.
const UP: usize = 2;

/// Writes the reflection of `from`, the opposite population, into a population's halo behind this image's walls.
pub(crate) fn reflect(
    into: &mut HaloArray<f64, 3>,
    from: &HaloArray<f64, 3>,
    population: usize,
    lid: f64,
) {
    let velocity = VELOCITIES[population];
    let own = from.blocks().own_range();
    let extents = from.blocks().shape();
    let periodic = from.grid().periodic();
    // The lid's axis is the last, so the lid counts in its edges with other walls.
    for axis in 0..3 {
        let comes_from_wall = match velocity[axis] {
            1 => own[axis].start == 0,
            -1 => own[axis].end == extents[axis],
            _ => false,
        };
        if periodic[axis] || !comes_from_wall {
            continue;
        }
        // The cells at the wall. The population comes from the cells behind it, one cell against its velocity.
        let mut cells = own.clone().map(|range| 0..range.len());
        let last = cells[axis].end - 1;
        cells[axis] = match velocity[axis] {
            1 => 0..1,
            _ => last..last + 1,
        };
        let [x, y, z] = array::from_fn(|axis| {
            let shift = usize::from(velocity[axis] < 0);
            cells[axis].start + shift..cells[axis].end + shift
        });
        let mut behind = into.local_mut();
        let mut behind = behind.slice_mut(s![x, y, z]);
        let [x, y, z] = cells;
        let reflected = from.interior();
        let reflected = reflected.slice(s![x, y, z]);
        // The term that a moving wall adds: A. J. C. Ladd, Journal of Fluid Mechanics 271, 1994.
        let push = match (axis, velocity[axis]) {
            (UP, -1) => 6.0 * WEIGHTS[population] * lid * velocity[0] as f64,
            _ => 0.0,
        };
        behind.zip_mut_with(&reflected, |behind, reflected| *behind = reflected + push);
    }
}
