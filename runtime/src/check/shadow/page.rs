//! The shadow of a part of a heap, in blocks that are locked one at a time.

use std::cell::Cell;
use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

use coarray_fabric::system::primitives::prefetch_to_write;

/// Granules of a page.
pub(super) const PAGE: usize = 1 << 15;

/// Granules of a block.
pub(super) const BLOCK: usize = 64;

/// How often an image tries to lock before it yields.
const SPINS: u32 = 100;

/// The stamp of writes, and that of reads.
pub(super) type Cells = [AtomicU64; 2];

/// In the state of a block: one image looks at it.
const LOCKED: u8 = 1;

/// All its granules were last accessed by the same operations, so that one pair of stamps stands for all.
const ALIKE: u8 = 2;

/// Something was put there that others may poll: what a get returns matters then.
const FLAGS: u8 = 4;

/// The shadow of a part of a heap.
#[derive(Debug)]
pub(super) struct Page {
    /// Of each granule. The system gives memory to those that are written.
    cells: Box<[Cells]>,
    /// Of each block whose granules are alike.
    all: Box<[Cells]>,
    /// Of each block: few bytes, which stay in the cache of an image that accesses words anywhere.
    states: Box<[AtomicU8]>,
}

impl Page {
    pub(super) fn new() -> Box<Self> {
        let states = (0..PAGE / BLOCK).map(|_| AtomicU8::new(ALIKE));
        Box::new(Self {
            cells: bytemuck::zeroed_slice_box(PAGE),
            all: bytemuck::zeroed_slice_box(PAGE / BLOCK),
            states: states.collect(),
        })
    }

    #[inline]
    fn state(&self, number: usize) -> &AtomicU8 {
        &self.states[number % PAGE / BLOCK]
    }

    /// Keeps others from the block of a granule.
    #[inline]
    pub(super) fn lock(&self, number: usize) -> Locked<'_> {
        let index = number % PAGE / BLOCK;
        let known = lock(&self.states[index]);
        Locked {
            state: &self.states[index],
            known: Cell::new(known),
            all: &self.all[index],
            cells: &self.cells[index * BLOCK..][..BLOCK],
        }
    }

    /// Asks for the stamps of a granule.
    #[inline]
    pub(super) fn prefetch(&self, number: usize) {
        prefetch_to_write(&raw const self.cells[number % PAGE]);
    }

    /// Whether something was put into the block of a granule that others may poll. Who has got a word before, and is told that this is not so, has not
    /// got such a one.
    #[inline]
    pub(super) fn has_flags(&self, number: usize) -> bool {
        // Acquire pairs with the Release of `expect_flag`, by the word that was got.
        fence(Ordering::Acquire);
        self.state(number).load(Ordering::Relaxed) & FLAGS != 0
    }
}

/// Locks a block. Returns the rest of its state.
#[inline]
fn lock(state: &AtomicU8) -> u8 {
    let mut spins = 0;
    loop {
        let known = state.load(Ordering::Relaxed) & !LOCKED;
        // Acquire pairs with the Release of the former holder: its stamps, and the word that it moved, are seen.
        let locked = state.compare_exchange_weak(
            known,
            known | LOCKED,
            Ordering::Acquire,
            Ordering::Relaxed,
        );
        if locked.is_ok() {
            return known;
        }
        pause(&mut spins);
    }
}

#[cold]
fn pause(spins: &mut u32) {
    *spins += 1;
    match *spins < SPINS {
        true => spin_loop(),
        false => std::thread::yield_now(),
    }
}

/// A block that one image looks at.
pub(crate) struct Locked<'a> {
    state: &'a AtomicU8,
    /// The state, without the lock. Who has the lock changes it.
    known: Cell<u8>,
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
        (self.known.get() & ALIKE != 0).then_some(self.all)
    }

    /// The stamps of each granule, if they have not the same.
    pub(super) fn each(&self) -> &[Cells] {
        self.cells
    }

    /// From now on all granules have these stamps.
    #[inline]
    pub(super) fn set_all(&self, writes: u64, reads: u64) {
        set(self.all, writes, reads);
        self.known.set(self.known.get() | ALIKE);
    }

    #[cold]
    #[inline(never)]
    fn split(&self) {
        let [writes, reads] = get(self.all);
        for cells in self.cells {
            set(cells, writes, reads);
        }
        self.known.set(self.known.get() & !ALIKE);
    }

    /// A word is about to be put that others may poll.
    pub(crate) fn expect_flag(&self) {
        self.known.set(self.known.get() | FLAGS);
        self.state
            .store(self.known.get() | LOCKED, Ordering::Relaxed);
        // Release pairs with the Acquire in `has_flags`.
        fence(Ordering::Release);
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Release pairs with the Acquire of the next holder.
        self.state.store(self.known.get(), Ordering::Release);
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
