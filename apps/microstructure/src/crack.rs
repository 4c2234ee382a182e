//! A crack that cleaves grain after grain.
//!
//! A layer over the grains: each cell is whole, or it broke in some step. The rules are our own; the paper on CGPACK
//! shows a crack but not its rules.
//!
//! * A grain can only break along one plane: of its three {100} planes the one that the largest principal stress opens
//!   most. The share of the stress that opens a plane is the square of the cosine between the stress and the plane's
//!   normal.
//! * The plane contains the cell where the crack entered the grain, and is as thin as a plane of cells without holes
//!   can be: a cell with its centre at `c` is in the plane if `|n·(c - entry)| <= max|n| / 2`.
//! * In each step a whole cell of the plane breaks if one of its 26 neighbours in the same grain broke in the step
//!   before.
//! * A crack enters a whole grain from a neighbouring cell that broke in the step before, if the share of the stress,
//!   less a penalty for how much the two planes differ in direction, reaches the threshold. Of the cells where it
//!   could enter in a step, it takes the one with the lowest number.
//! * It starts at the nucleus of the grain that the stress opens most, and ends at the faces of the model, also where
//!   grains go on at the opposite face.

use std::collections::{BTreeMap, HashMap};

use coarray::collectives::co_allgatherv;
use coarray::grid::{Blocks, GridError, HaloArray};
use coarray::prelude::*;

use crate::cubic::{Orientations, best_face};
use crate::lattice::{STEPS, number, place};
use crate::nuclei::Nuclei;
use crate::rotation::{Vector, dot};

/// What makes grains break.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The direction of the largest principal stress, of length 1.
    pub stress: Vector,
    /// The share of it that a grain withstands.
    pub threshold: f64,
    /// The cost of crossing into a grain whose plane is at right angles to the plane of the grain before.
    pub penalty: f64,
}

/// How a crack ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Broken cells.
    pub cells: u64,
    /// Grains that the crack has entered.
    pub grains: usize,
    /// Steps until nothing more broke.
    pub steps: u32,
}

/// The planes along which grains break.
#[derive(Clone, Debug)]
pub struct Cleavage {
    load: Load,
    /// For each grain, the normal of its plane and the share of the stress that opens it.
    faces: Vec<(Vector, f64)>,
    /// Where the crack entered.
    entries: HashMap<u32, Vector>,
}

impl Cleavage {
    /// No grain is broken yet.
    pub fn new(orientations: &Orientations, grains: u32, load: Load) -> Self {
        let face = |grain| best_face(orientations.of(grain), load.stress);
        Self {
            load,
            faces: (1..=grains).map(face).collect(),
            entries: HashMap::new(),
        }
    }

    /// The normal of a grain's plane.
    pub fn normal(&self, grain: u32) -> Vector {
        self.faces[grain as usize - 1].0
    }

    fn share(&self, grain: u32) -> f64 {
        self.faces[grain as usize - 1].1
    }

    /// The grain that the stress opens most, the first of equals.
    fn weakest(&self) -> u32 {
        let mut weakest = 1;
        for grain in 2..=self.faces.len() as u32 {
            if self.share(grain) > self.share(weakest) {
                weakest = grain;
            }
        }
        weakest
    }

    /// Whether a cell of a grain is on the plane on which the grain breaks.
    fn is_on_plane(&self, grain: u32, cell: [usize; 3]) -> bool {
        let Some(&entry) = self.entries.get(&grain) else {
            return false;
        };
        let normal = self.normal(grain);
        let centre = centre(cell);
        let away = dot(normal, [0, 1, 2].map(|axis| centre[axis] - entry[axis]));
        let thickest = normal.into_iter().map(f64::abs).fold(0.0, f64::max);
        self.share(grain) >= self.load.threshold && away.abs() <= thickest / 2.0
    }

    /// Whether a crack crosses from one grain to another that is whole.
    fn enters(&self, from: u32, to: u32) -> bool {
        let aligned = dot(self.normal(from), self.normal(to)).abs();
        let cost = self.load.penalty * (1.0 - aligned);
        !self.entries.contains_key(&to) && self.share(to) - cost >= self.load.threshold
    }
}

/// x, y and z of a cell.
fn centre([z, y, x]: [usize; 3]) -> Vector {
    [x as f64, y as f64, z as f64]
}

/// Collective. Lets a crack run until nothing more breaks. Returns for each cell the step in which it broke, counted
/// from 1, or 0 if it is whole, and how the crack ended.
///
/// The halos of `grains` must be current.
///
/// # Errors
/// As [`HaloArray::filled`].
pub fn propagate(
    grains: &HaloArray<u32, 3>,
    nuclei: &Nuclei,
    cleavage: &mut Cleavage,
) -> Result<(HaloArray<u32, 3>, Outcome), GridError> {
    let shape = grains.blocks().shape();
    let grid = grains.grid().clone().with_periodic([false; 3]);
    let broken = HaloArray::filled(&Blocks::new(shape, grid)?, 1, 0)?;
    let mut crack = Crack {
        grains,
        shape,
        own: grains.blocks().own_range(),
        filled: filled_halo(&broken),
        broken,
        tip: Vec::new(),
    };
    let weakest = cleavage.weakest();
    crack.enter(weakest, nuclei.cell(weakest), cleavage, 1);
    let mut cells = 1;
    let mut step = 1;
    loop {
        crack.broken.exchange();
        let (mut breaking, entries) = crack.next(cleavage, step);
        let mut sums = [breaking.len() as u64, entries.len() as u64];
        co_sum(&mut sums);
        let [broke, entered] = sums;
        if broke + entered == 0 {
            break;
        }
        step += 1;
        crack.tip.clear();
        for cell in breaking.drain(..) {
            crack.snap(cell, step);
        }
        let entries = first_entries(&entries, entered > 0);
        cells += broke + entries.len() as u64;
        for (grain, cell) in entries {
            crack.enter(grain, cell, cleavage, step);
        }
    }
    let outcome = Outcome {
        cells,
        grains: cleavage.entries.len(),
        steps: step,
    };
    Ok((crack.broken, outcome))
}

/// Collective. For each grain that can be entered on some image, the cell with the lowest number; `any` is the same on
/// all images.
fn first_entries(own: &BTreeMap<u32, u64>, any: bool) -> BTreeMap<u32, u64> {
    let mut first = BTreeMap::new();
    if any {
        let words: Vec<u64> = own
            .iter()
            .flat_map(|(&grain, &cell)| [u64::from(grain), cell])
            .collect();
        for words in co_allgatherv(&words) {
            for entry in words.chunks_exact(2) {
                let cell = first.entry(entry[0] as u32).or_insert(entry[1]);
                *cell = entry[1].min(*cell);
            }
        }
    }
    first
}

/// A crack on the cells of this image. Indices of cells count from the halo.
struct Crack<'a> {
    grains: &'a HaloArray<u32, 3>,
    shape: [usize; 3],
    own: [std::ops::Range<usize>; 3],
    broken: HaloArray<u32, 3>,
    /// The cells of the halo that neighbours fill.
    filled: Vec<[usize; 3]>,
    /// The own cells that broke in the last step.
    tip: Vec<[usize; 3]>,
}

impl Crack<'_> {
    /// The cells of this image that break in the step after `step`, and the cells where the crack can enter grains.
    fn next(&self, cleavage: &Cleavage, step: u32) -> (Vec<[usize; 3]>, BTreeMap<u32, u64>) {
        let grains = self.grains.local();
        let broken = self.broken.local();
        let mut breaking = Vec::new();
        let mut entries = BTreeMap::new();
        let halo = self.filled.iter().filter(|&&cell| broken[cell] == step);
        for &tip in self.tip.iter().chain(halo) {
            let from = grains[tip];
            for cell in STEPS.map(|direction| self.own_beside(tip, direction)) {
                let Some(cell) = cell.filter(|&cell| broken[cell] == 0) else {
                    continue;
                };
                let grain = grains[cell];
                let global = self.global(cell);
                if grain == from {
                    if cleavage.is_on_plane(grain, global) {
                        breaking.push(cell);
                    }
                } else if cleavage.enters(from, grain) {
                    let cell = number(global, self.shape);
                    let first = entries.entry(grain).or_insert(cell);
                    *first = cell.min(*first);
                }
            }
        }
        breaking.sort_unstable();
        breaking.dedup();
        (breaking, entries)
    }

    /// Lets the crack enter a grain at a cell. All images call this, to record the entry.
    fn enter(&mut self, grain: u32, cell: u64, cleavage: &mut Cleavage, step: u32) {
        let cell = place(cell, self.shape);
        cleavage.entries.insert(grain, centre(cell));
        if (0..3).all(|axis| self.own[axis].contains(&cell[axis])) {
            self.snap(
                [0, 1, 2].map(|axis| cell[axis] - self.own[axis].start + 1),
                step,
            );
        }
    }

    fn snap(&mut self, cell: [usize; 3], step: u32) {
        self.broken.local_mut()[cell] = step;
        self.tip.push(cell);
    }

    /// A neighbour, if it is a cell of this image.
    fn own_beside(&self, cell: [usize; 3], direction: [isize; 3]) -> Option<[usize; 3]> {
        let mut beside = [0; 3];
        for axis in 0..3 {
            let index = cell[axis].checked_add_signed(direction[axis])?;
            if !(1..=self.own[axis].len()).contains(&index) {
                return None;
            }
            beside[axis] = index;
        }
        Some(beside)
    }

    fn global(&self, cell: [usize; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.own[axis].start + cell[axis] - 1)
    }
}

fn filled_halo(array: &HaloArray<u32, 3>) -> Vec<[usize; 3]> {
    let shape = array.blocks().own_range().map(|range| range.len());
    // -1 below the block, 1 above it, else 0.
    let side =
        |axis: usize, index: usize| isize::from(index > shape[axis]) - isize::from(index == 0);
    let mut filled = Vec::new();
    for z in 0..shape[0] + 2 {
        for y in 0..shape[1] + 2 {
            let across = [side(0, z), side(1, y)];
            let columns = if across == [0, 0] { shape[2] + 1 } else { 1 };
            for x in (0..shape[2] + 2).step_by(columns) {
                let offset = [across[0], across[1], side(2, x)];
                if array.grid().neighbour(offset).is_some() {
                    filled.push([z, y, x]);
                }
            }
        }
    }
    filled
}

#[cfg(test)]
mod tests;
