//! Which grains touch, and where.

use std::collections::{BTreeMap, HashMap};

use coarray::collectives::co_gatherv;
use coarray::grid::{GridError, HaloArray};
use coarray::ndarray::{Zip, s};
use coarray::prelude::*;

use crate::lattice::{LIQUID, beside};

/// Faces of cells between two grains, the one with the lower number first.
pub type Contacts = BTreeMap<(u32, u32), u64>;

/// Steps to the cells behind a cell, one along each axis.
const BEHIND: [[isize; 3]; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/// Collective. All pairs of grains that touch, and how many faces of cells are between them, on image 0; no pairs on
/// the others.
///
/// The halos of `grains` must be current.
pub fn contacts(grains: &HaloArray<u32, 3>) -> Contacts {
    let cells = grains.local();
    let mut own: HashMap<(u32, u32), u64> = HashMap::new();
    for cell in own_cells(grains) {
        let grain = cells[cell];
        for other in BEHIND.map(|step| cells[beside(cell, step)]) {
            if other != grain && other != LIQUID {
                *own.entry((grain.min(other), grain.max(other))).or_default() += 1;
            }
        }
    }
    let words: Vec<u64> = own
        .into_iter()
        .flat_map(|((one, other), faces)| [u64::from(one) << 32 | u64::from(other), faces])
        .collect();
    let mut all = Contacts::new();
    for words in co_gatherv(&words, 0) {
        for entry in words.chunks_exact(2) {
            let pair = ((entry[0] >> 32) as u32, entry[0] as u32);
            *all.entry(pair).or_default() += entry[1];
        }
    }
    all
}

/// Collective. How many cells each grain has, from grain 1 on.
pub fn volumes(grains: &HaloArray<u32, 3>, count: u32) -> Vec<u64> {
    let mut volumes = vec![0; count as usize + 1];
    for &grain in grains.interior() {
        volumes[grain as usize] += 1;
    }
    co_sum(&mut volumes[1..]);
    volumes.split_off(1)
}

/// Collective. How many of the 26 neighbours of each cell are of other grains.
///
/// The halos of `grains` must be current.
///
/// # Errors
/// As [`HaloArray::filled`].
pub fn boundaries(grains: &HaloArray<u32, 3>) -> Result<HaloArray<u8, 3>, GridError> {
    let cells = grains.local();
    let mut boundaries = HaloArray::filled(grains.blocks(), 0, 0)?;
    let mut counts = boundaries.local_mut();
    for (above, mut counts) in (0..).zip(counts.outer_iter_mut()) {
        for (before, mut counts) in (0..).zip(counts.outer_iter_mut()) {
            let row = |z, y| cells.slice_move(s![above + z, before + y, ..]);
            let own = row(1, 1);
            let own = own.slice(s![1..=counts.len()]);
            // Row by row, so that many cells are compared at once. A cell does not differ from itself.
            for z in 0..3 {
                for y in 0..3 {
                    for others in row(z, y).windows(own.len()) {
                        let differs = |&grain: &u32, &other: &u32| {
                            u8::from(other != grain && other != LIQUID)
                        };
                        Zip::from(&mut counts)
                            .and(own)
                            .and(others)
                            .for_each(|count, grain, other| *count += differs(grain, other));
                    }
                }
            }
        }
    }
    Ok(boundaries)
}

/// Local. The indices of the cells of this image, counted from the halo, which is one cell wide.
fn own_cells(grains: &HaloArray<u32, 3>) -> impl Iterator<Item = [usize; 3]> + use<> {
    let [planes, rows, columns] = grains.blocks().own_range().map(|range| range.len());
    (1..=planes)
        .flat_map(move |z| (1..=rows).flat_map(move |y| (1..=columns).map(move |x| [z, y, x])))
}

#[cfg(test)]
mod tests;
