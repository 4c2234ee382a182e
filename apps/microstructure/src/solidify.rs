//! Solidification: in each iteration every liquid cell takes the state of one of its 26 neighbours, until none is left.
//!
//! The neighbour is drawn afresh for each cell and iteration, all 26 equally likely. (The listing in the paper on
//! CGPACK rounds numbers from -1 to 1, so that a step of 0 is twice as likely as one of 1 or -1, and one draw in eight
//! is the cell itself.) All cells change at once: an iteration collects all changes before it writes any.

use coarray::grid::{Blocks, GridError, HaloArray};

use crate::clock::{Clock, Work};
use crate::front::{Columns, Front};
use crate::lattice::{LIQUID, NEIGHBOURS, STEPS, beside, number, place};
use crate::nuclei::Nuclei;
use crate::random::{Purpose, Random};
use crate::reduction::Adder;

/// A block of the model on its way from liquid to solid.
#[derive(Debug)]
pub struct Solidification {
    grains: HaloArray<u32, 3>,
    front: Front,
    random: Random,
    /// Cells of the block, without the halo.
    shape: [usize; 3],
    /// The global index of the first of them.
    origin: [usize; 3],
    liquid: u64,
    iteration: u32,
    changes: Changes,
}

impl Solidification {
    /// Collective. Liquid everywhere but at the nuclei.
    ///
    /// # Errors
    /// As [`HaloArray::filled`].
    pub fn begin(blocks: &Blocks<3>, nuclei: &Nuclei, random: Random) -> Result<Self, GridError> {
        let mut grains = HaloArray::filled(blocks, 1, LIQUID)?;
        let own = blocks.own_range();
        let shape = [0, 1, 2].map(|axis| own[axis].len());
        let origin = [0, 1, 2].map(|axis| own[axis].start);
        let mut front = Front::new(shape.map(|cells| cells + 2));
        let mut liquid = shape.iter().product::<usize>() as u64;
        let mut interior = grains.interior_mut();
        for grain in 1..=nuclei.count() {
            let cell = place(nuclei.cell(grain), blocks.shape());
            if (0..3).all(|axis| own[axis].contains(&cell[axis])) {
                let cell = [0, 1, 2].map(|axis| cell[axis] - origin[axis]);
                interior[cell] = grain;
                front.solidify(cell.map(|index| index + 1));
                liquid -= 1;
            }
        }
        Ok(Self {
            grains,
            front,
            random,
            shape,
            origin,
            liquid,
            iteration: 0,
            changes: Changes::default(),
        })
    }

    /// Collective. Iterates until all cells are solid on all images, and returns the number of iterations.
    ///
    /// The liquid cells are counted during the next iteration, so that images wait for their neighbours only. So the
    /// last iteration finds nothing to change.
    ///
    /// `progress` is told how many cells are still liquid.
    pub fn run(&mut self, adder: &mut Adder<'_>, clock: &mut Clock, progress: impl Fn(u64)) -> u32 {
        loop {
            let (iteration, liquid) = (self.iteration, adder.begin(self.liquid));
            clock.did(Work::Reducing);
            self.step(clock);
            let liquid = liquid.wait();
            clock.did(Work::Reducing);
            progress(liquid);
            if liquid == 0 {
                return iteration;
            }
        }
    }

    /// Collective. All cells, with current halos.
    pub fn finish(mut self, clock: &mut Clock) -> HaloArray<u32, 3> {
        self.grains.exchange();
        clock.did(Work::Exchanging);
        self.grains
    }

    /// One iteration.
    fn step(&mut self, clock: &mut Clock) {
        let [planes, rows, _] = self.shape;
        let draw = Draw {
            random: self.random,
            iteration: self.iteration,
            origin: self.origin,
            global: self.grains.blocks().shape(),
        };
        let mut changes = std::mem::take(&mut self.changes);

        // The cells that need no halo, while the halos travel.
        let halos = self.grains.exchange_start();
        clock.did(Work::Exchanging);
        let cells = halos.interior();
        for z in 2..planes {
            for y in 2..rows {
                self.front.for_each(z, y, Columns::Inner, |x| {
                    // Indices count from the halo; indices of this view count from the first cell of the block.
                    let from = |[z, y, x]: [usize; 3]| cells[[z - 1, y - 1, x - 1]];
                    changes.note(draw.change([z, y, x], from));
                });
            }
        }
        clock.did(Work::Computing);
        halos.finish();
        clock.did(Work::Exchanging);

        self.see_halos();
        let cells = self.grains.local();
        for z in 1..=planes {
            for y in 1..=rows {
                let at_edge = z == 1 || z == planes || y == 1 || y == rows;
                let columns = if at_edge {
                    Columns::All
                } else {
                    Columns::Outer
                };
                self.front.for_each(z, y, columns, |x| {
                    changes.note(draw.change([z, y, x], |index| cells[index]));
                });
            }
        }

        let mut cells = self.grains.local_mut();
        for &Change { cell, grain } in changes.all() {
            cells[cell] = grain;
            self.front.solidify(cell);
        }
        self.liquid -= changes.all().len() as u64;
        self.iteration += 1;
        changes.clear();
        self.changes = changes;
        clock.did(Work::Computing);
    }

    /// Notes which cells of the halo are solid now.
    fn see_halos(&mut self) {
        let grid = self.grains.grid();
        let filled = |step: [isize; 3]| step != [0; 3] && grid.neighbour(step).is_some();
        // On which side of the block an index is.
        let side = |index: usize, cells: usize| match index {
            0 => -1,
            index if index > cells => 1,
            _ => 0,
        };
        let [planes, rows, columns] = self.shape;
        let ends = [(-1, 0), (1, columns + 1)];
        let ends: Vec<usize> = ends
            .into_iter()
            .filter(|&(step, _)| filled([0, 0, step]))
            .map(|(_, column)| column)
            .collect();
        let cells = self.grains.local();
        for z in 0..planes + 2 {
            for y in 0..rows + 2 {
                match [side(z, planes), side(y, rows), 0] {
                    [0, 0, 0] => {
                        for &x in &ends {
                            if cells[[z, y, x]] != LIQUID {
                                self.front.solidify([z, y, x]);
                            }
                        }
                    }
                    across if filled(across) => {
                        let row = cells.slice(coarray::ndarray::s![z, y, ..]);
                        let row = row.to_slice().expect("rows are contiguous");
                        self.front.set_row(z, y, row);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// How cells of a block find their new states in an iteration.
#[derive(Clone, Copy)]
struct Draw {
    random: Random,
    iteration: u32,
    origin: [usize; 3],
    global: [usize; 3],
}

impl Draw {
    /// The new state of a cell, whose index counts from the halo; `state` returns the states of its neighbours.
    #[inline]
    fn change(&self, cell: [usize; 3], state: impl Fn([usize; 3]) -> u32) -> Change {
        let [z, y, x] = cell;
        let [first_z, first_y, first_x] = self.origin;
        let global = [first_z + z - 1, first_y + y - 1, first_x + x - 1];
        let number = number(global, self.global);
        let drawn = self
            .random
            .below(NEIGHBOURS, Purpose::Growth, number, self.iteration);
        let grain = state(beside(cell, STEPS[drawn]));
        Change { cell, grain }
    }
}

/// A cell of a block, counted from the halo, and its state after an iteration.
#[derive(Clone, Copy, Debug)]
struct Change {
    cell: [usize; 3],
    grain: u32,
}

/// The cells that become solid in an iteration.
#[derive(Debug, Default)]
struct Changes {
    /// Places for the most changes so far; the first `count` are in use.
    places: Vec<Change>,
    count: usize,
}

impl Changes {
    /// Keeps a change, unless the cell stays liquid.
    ///
    /// A change that is not kept is written all the same, and the next one overwrites it: a branch on a draw cannot be
    /// predicted, and the processor would have to wait for each draw before it could begin the next.
    #[inline]
    fn note(&mut self, change: Change) {
        if self.count == self.places.len() {
            self.places.resize((2 * self.count).max(1024), change);
        }
        self.places[self.count] = change;
        self.count += usize::from(change.grain != LIQUID);
    }

    fn all(&self) -> &[Change] {
        &self.places[..self.count]
    }

    fn clear(&mut self) {
        self.count = 0;
    }
}
