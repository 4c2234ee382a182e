//! A torus of Life whose blocks live on different images.
//!
//! Each image keeps its block in plain local memory. Only the borders travel: before each generation
//! an image puts its outermost rows, columns and corners into the *mailboxes* of its eight
//! neighbours, synchronises with these neighbours, and takes its halo out of its own mailbox.
//!
//! There are two mailboxes, for even and odd generations. A fast image that is already at its next
//! generation puts into the other one; it cannot get two generations ahead of a neighbour, because it
//! synchronises with that neighbour in between. So one `sync_images` a generation is enough.

use std::ops::Range;

use coarray::prelude::*;
use coarray::{OwnedOpen, PublishedRagged};

use crate::block::{Block, Corner};
use crate::decomposition::Decomposition;
use crate::rle::Pattern;

/// One image's part of the torus.
pub struct Torus {
    decomposition: Decomposition,
    /// The memory through which borders travel.
    mailboxes: OwnedOpen<Coarray<[u64]>>,
    zones: Zones,
    /// The images whose blocks touch this one, each once.
    neighbours: Vec<usize>,
    block: Block,
    next: Block,
    row: Vec<u64>,
    column: Vec<u64>,
    generation: u64,
}

/// The layout of a mailbox: the words of a row and of a column.
#[derive(Clone, Copy)]
struct Zones {
    row: usize,
    column: usize,
}

/// The part of a halo that a neighbour fills in.
#[derive(Clone, Copy)]
enum Side {
    North,
    South,
    West,
    East,
}

const CORNERS: [(Corner, isize, isize); 4] = [
    (Corner::NorthWest, -1, -1),
    (Corner::NorthEast, -1, 1),
    (Corner::SouthWest, 1, -1),
    (Corner::SouthEast, 1, 1),
];

/// Where the neighbours are: south and east.
const DIRECTIONS: [(isize, isize); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];

impl Zones {
    /// Large enough for every image's halo.
    fn of_largest(decomposition: &Decomposition) -> Self {
        let largest = Block::new(
            decomposition.rows().div_ceil(decomposition.down()),
            decomposition.columns().div_ceil(decomposition.across()),
        );
        Self {
            row: largest.row_words(),
            column: largest.column_words(),
        }
    }

    /// Words in one mailbox: two rows, two columns, and the corners.
    fn words(self) -> usize {
        2 * self.row + 2 * self.column + CORNERS.len()
    }

    fn start(self, generation: u64) -> usize {
        (generation % 2) as usize * self.words()
    }

    /// The zone for the first `length` words of a side.
    fn side(self, generation: u64, side: Side, length: usize) -> Range<usize> {
        let start = self.start(generation)
            + match side {
                Side::North => 0,
                Side::South => self.row,
                Side::West => 2 * self.row,
                Side::East => 2 * self.row + self.column,
            };
        start..start + length
    }

    fn corner(self, generation: u64, index: usize) -> usize {
        self.start(generation) + 2 * self.row + 2 * self.column + index
    }
}

impl Torus {
    /// Collective. A torus of dead cells.
    pub fn new(decomposition: Decomposition) -> Self {
        let me = this_image();
        let zones = Zones::of_largest(&decomposition);
        let block = Block::new(
            decomposition.rows_of(me).len(),
            decomposition.columns_of(me).len(),
        );
        let mut neighbours: Vec<usize> = DIRECTIONS
            .into_iter()
            .map(|(south, east)| decomposition.neighbour(me, south, east))
            .collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        Self {
            decomposition,
            neighbours,
            mailboxes: Coarray::<[u64]>::zeroed(2 * zones.words()).into_open(),
            zones,
            row: vec![0; block.row_words()],
            column: vec![0; block.column_words()],
            next: block.clone(),
            block,
            generation: 0,
        }
    }

    /// Local. Sets the pattern's living cells, with the pattern in the middle of the torus.
    pub fn place(&mut self, pattern: &Pattern) {
        let top = (self.decomposition.rows() - pattern.height) / 2;
        let left = (self.decomposition.columns() - pattern.width) / 2;
        let (rows, columns) = (
            self.decomposition.rows_of(this_image()),
            self.decomposition.columns_of(this_image()),
        );
        for (row, column) in pattern.alive() {
            let (row, column) = (top + row, left + column);
            if rows.contains(&row) && columns.contains(&column) {
                self.block
                    .set(row - rows.start, column - columns.start, true);
            }
        }
    }

    /// Computes the next generation, together with the neighbours; to be called by all images.
    pub fn step(&mut self) {
        self.send_borders();
        sync_images(&self.neighbours);
        self.receive_halo();
        self.block.step_into(&mut self.next);
        std::mem::swap(&mut self.block, &mut self.next);
        self.generation += 1;
    }

    /// The number of generations computed.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// This image's living cells.
    pub fn local_population(&self) -> u64 {
        self.block.population()
    }

    /// Collective. All images' living cells.
    pub fn population(&self) -> u64 {
        let mut population = self.local_population();
        co_sum(&mut population);
        population
    }

    fn send_borders(&mut self) {
        let (last_row, last_column) = (self.block.rows() - 1, self.block.columns() - 1);
        for (row, south, side) in [(0, -1, Side::South), (last_row, 1, Side::North)] {
            let words = self.block.row(row);
            let zone = self.zones.side(self.generation, side, words.len());
            self.mailboxes.at(self.neighbour(south, 0))[zone].put_from(words);
        }
        for (column, east, side) in [(0, -1, Side::East), (last_column, 1, Side::West)] {
            self.block.pack_column(column, &mut self.column);
            let zone = self.zones.side(self.generation, side, self.column.len());
            self.mailboxes.at(self.neighbour(0, east))[zone].put_from(&self.column);
        }
        // My north-west cell is the south-east corner of the neighbour to the north-west, and so on.
        for (index, (_, south, east)) in CORNERS.into_iter().enumerate() {
            let row = if south < 0 { 0 } else { last_row };
            let column = if east < 0 { 0 } else { last_column };
            let opposite = self
                .zones
                .corner(self.generation, CORNERS.len() - 1 - index);
            self.mailboxes.at(self.neighbour(south, east))[opposite]
                .put(self.block.get(row, column).into());
        }
    }

    fn receive_halo(&mut self) {
        let halo = self.mailboxes.here();
        let zone = |side, length| self.zones.side(self.generation, side, length);
        halo[zone(Side::North, self.row.len())].get_into(&mut self.row);
        self.block.set_north_halo(&self.row);
        halo[zone(Side::South, self.row.len())].get_into(&mut self.row);
        self.block.set_south_halo(&self.row);
        halo[zone(Side::West, self.column.len())].get_into(&mut self.column);
        self.block.set_west_halo(&self.column);
        halo[zone(Side::East, self.column.len())].get_into(&mut self.column);
        self.block.set_east_halo(&self.column);
        for (index, (corner, _, _)) in CORNERS.into_iter().enumerate() {
            let alive = halo[self.zones.corner(self.generation, index)].get() != 0;
            self.block.set_corner(corner, alive);
        }
    }

    fn neighbour(&self, south: isize, east: isize) -> usize {
        self.decomposition.neighbour(this_image(), south, east)
    }

    /// Collective. Lets image 0 look at all cells: calls `look` there with a function that tells whether the
    /// cell in a row and column of the torus lives.
    pub fn look<R>(&self, look: impl FnOnce(&dyn Fn(usize, usize) -> bool) -> R) -> Option<R> {
        let words = self.block.row_words();
        let mut rows = Ragged::from_fn(self.block.rows() * words, |index| {
            self.block.row(index / words)[index % words]
        });
        let rows = rows.publish();
        (this_image() == 0).then(|| {
            let blocks: Vec<GatheredBlock> = (0..num_images())
                .map(|image| self.gather(&rows, image))
                .collect();
            let across = self.decomposition.across();
            look(&|row, column| {
                let down = blocks
                    .iter()
                    .step_by(across)
                    .position(|block| block.rows.contains(&row));
                let right = blocks
                    .iter()
                    .take(across)
                    .position(|block| block.columns.contains(&column));
                down.zip(right).is_some_and(|(down, right)| {
                    blocks[down * across + right].is_alive(row, column)
                })
            })
        })
    }

    fn gather(&self, rows: &PublishedRagged<'_, u64>, image: usize) -> GatheredBlock {
        GatheredBlock {
            rows: self.decomposition.rows_of(image),
            columns: self.decomposition.columns_of(image),
            words: rows.at(image).to_vec(),
        }
    }
}

/// A copy of one image's block, in the torus's coordinates.
struct GatheredBlock {
    rows: Range<usize>,
    columns: Range<usize>,
    words: Vec<u64>,
}

impl GatheredBlock {
    fn is_alive(&self, row: usize, column: usize) -> bool {
        let words_per_row = self.words.len() / self.rows.len();
        // Bit 0 of a row is its west halo.
        let bit = column - self.columns.start + 1;
        let word = self.words[(row - self.rows.start) * words_per_row + bit / 64];
        word >> (bit % 64) & 1 != 0
    }
}
