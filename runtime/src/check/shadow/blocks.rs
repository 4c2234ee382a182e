//! The shadow of the heaps, in blocks that are locked one at a time.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Zeroable;

use crate::check::sparse::Sparse;
use crate::lockfree::block_state::{BlockState, Flagged, Held};
use coarray_fabric::system::primitives::prefetch_to_write;

/// Granules of a block.
pub(super) const BLOCK: usize = 64;

/// The stamp of writes, and that of reads.
pub(super) type Cells = [AtomicU64; 2];

/// The shadow of all heaps, of which each begins with a block.
#[derive(Debug)]
pub(super) struct Blocks {
    /// Of each granule.
    cells: Sparse<Cells>,
    /// Of each block whose granules are alike.
    all: Sparse<Cells>,
    /// Of each block: few bytes, which stay in the cache of an image that accesses words anywhere.
    states: Sparse<BlockState>,
    flagged: Flagged,
}

// SAFETY: it is one atomic byte, for which zero is a value.
unsafe impl Zeroable for BlockState {}

impl Blocks {
    /// The shadow of so many blocks.
    pub(super) fn new(blocks: usize) -> io::Result<Self> {
        Ok(Self {
            cells: Sparse::new(blocks * BLOCK)?,
            all: Sparse::new(blocks)?,
            states: Sparse::new(blocks)?,
            flagged: Flagged::default(),
        })
    }

    /// Keeps others from the block of a granule.
    #[inline(always)]
    pub(super) fn lock(&self, index: usize) -> Locked<'_> {
        let block = index / BLOCK;
        Locked {
            held: self.states[block].lock(),
            flagged: &self.flagged,
            all: &self.all[block],
            cells: &self.cells[block * BLOCK..][..BLOCK],
        }
    }

    /// Asks for what an access to a granule needs to be noted soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, index: usize) {
        prefetch_to_write(self.cells.as_ptr().wrapping_add(index));
        prefetch_to_write(self.states.as_ptr().wrapping_add(index / BLOCK));
    }

    /// As [`BlockState::has_flags`], of the block of a granule.
    #[inline(always)]
    pub(super) fn has_flags(&self, index: usize) -> bool {
        self.flagged.has_flags() && self.states[index / BLOCK].has_flags()
    }

    /// An object begins at these granules, most of which will be accessed.
    pub(super) fn expect(&self, granules: Range<usize>) {
        self.cells.expect(granules);
    }
}

/// A block that one image looks at.
pub(crate) struct Locked<'a> {
    held: Held<'a>,
    flagged: &'a Flagged,
    all: &'a Cells,
    cells: &'a [Cells],
}

impl Locked<'_> {
    /// The stamps of a granule, to look at.
    #[inline]
    pub(super) fn cells(&self, number: usize) -> &Cells {
        match self.alike() {
            Some(all) => all,
            None => &self.cells[number % BLOCK],
        }
    }

    /// The stamps of a granule, to change.
    #[inline]
    pub(super) fn own_cells(&self, number: usize) -> &Cells {
        if self.alike().is_some() {
            self.split();
        }
        &self.cells[number % BLOCK]
    }

    /// The stamps of all granules, if they have the same.
    #[inline]
    pub(super) fn alike(&self) -> Option<&Cells> {
        self.held.is_alike().then_some(self.all)
    }

    /// The stamps of each granule, if they have not the same.
    pub(super) fn each(&self) -> &[Cells] {
        self.cells
    }

    /// From now on all granules have these stamps.
    #[inline]
    pub(super) fn set_all(&self, writes: u64, reads: u64) {
        set(self.all, writes, reads);
        self.held.make_alike();
    }

    #[cold]
    #[inline(never)]
    fn split(&self) {
        let [writes, reads] = get(self.all);
        for cells in self.cells {
            set(cells, writes, reads);
        }
        self.held.split();
    }

    /// A word is about to be put that others may poll.
    pub(crate) fn expect_flag(&self) {
        self.held.expect_flag(self.flagged);
    }
}

/// The stamps in a pair of cells, of a block that is locked: so Relaxed does.
#[inline(always)]
pub(super) fn get(cells: &Cells) -> [u64; 2] {
    [0, 1].map(|index| cells[index].load(Ordering::Relaxed))
}

#[inline(always)]
pub(super) fn set(cells: &Cells, writes: u64, reads: u64) {
    cells[0].store(writes, Ordering::Relaxed);
    cells[1].store(reads, Ordering::Relaxed);
}

/// The granules of a block that are in a range.
pub(super) fn part_of(all: &Range<usize>, first: usize) -> Range<usize> {
    first..all.end.min((first / BLOCK + 1) * BLOCK)
}
