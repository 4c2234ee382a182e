//! The shadow of the heaps: for every eight bytes, which accesses came last.
//!
//! A granule has two cells, for writes and for reads. A cell holds one stamp, or says that several are in a table: of images that read without
//! order, or of those that own neighbouring bytes of the granule. A lock covers a block of 64 granules, so that of two accesses one sees the other.
//! The system gives memory to those pages of the shadow where something was accessed.

mod blocks;
mod meeting;
mod written;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

pub(crate) use crate::check::shadow::blocks::Locked;
use crate::check::shadow::blocks::{BLOCK, Blocks, Cells, get, part_of, set};
use crate::check::sparse::HUGE;
use crate::check::stamp::Stamp;

/// Bytes of a granule.
pub(crate) const GRANULE: usize = 8;

/// Tables for cells with several stamps.
const TABLES: usize = 64;

/// What decides about accesses that meet.
pub(crate) trait Judge {
    /// Whether an earlier access to a granule is ordered before this one, or by the same image.
    fn covers(&self, earlier: Stamp, granule: Granule) -> bool;

    /// Whether nothing is to be done where two accesses meet, even if they are not ordered.
    fn permits(&self, _earlier: Stamp, _mine: Stamp) -> bool {
        false
    }

    /// Two accesses meet that are not ordered, one of them a write, not both atomic.
    fn conflict(&self, earlier: Stamp, mine: Stamp, granule: Granule);

    /// An atomic operation finds what an atomic write of another image left.
    fn finds(&self, written: Stamp, mine: Stamp, granule: Granule);
}

/// A granule: the image, and its number in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Granule {
    pub(crate) image: usize,
    pub(crate) number: usize,
}

/// Bytes of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) image: usize,
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

impl Span {
    /// Whether it lies in one granule.
    #[inline]
    pub(crate) fn is_in_one_granule(self) -> bool {
        self.offset % GRANULE + self.length <= GRANULE
    }

    /// Whether it is one granule.
    #[inline(always)]
    pub(crate) fn is_granule(self) -> bool {
        self.length == GRANULE && self.offset.is_multiple_of(GRANULE)
    }

    /// Whether it may be a word.
    #[inline]
    pub(crate) fn is_word(self) -> bool {
        self.length.is_power_of_two()
            && self.length <= GRANULE
            && self.offset.is_multiple_of(self.length)
    }

    /// Its granules.
    #[inline]
    fn granules(self) -> Range<usize> {
        self.offset / GRANULE..(self.offset + self.length).div_ceil(GRANULE)
    }

    /// Its bytes in one of them, as a mask.
    #[inline]
    fn mask(self, number: usize) -> u8 {
        let (start, end) = (number * GRANULE, self.offset + self.length);
        let before = self.offset.saturating_sub(start);
        let after = (start + GRANULE).saturating_sub(end);
        (0xff_u8 << before) & (0xff_u8 >> after)
    }
}

/// The stamps of cells with several.
type Stamps = HashMap<(Granule, bool), Vec<Stamp>>;

/// The shadow of all heaps of a job.
#[derive(Debug)]
pub(crate) struct Shadow {
    blocks: Blocks,
    /// Granules of a heap, and some more, so that the shadow of each begins with a huge page.
    granules: usize,
    tables: Box<[Mutex<Stamps>]>,
}

/// Where the shadow of a granule is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    blocks: &'a Blocks,
    index: usize,
}

impl Place<'_> {
    /// Asks for what an access in few granules needs to be noted soon.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        self.blocks.prefetch(self.index);
    }

    /// Whether what was got from there may be a word that others poll.
    #[inline(always)]
    pub(crate) fn has_flags(self) -> bool {
        self.blocks.has_flags(self.index)
    }
}

impl Shadow {
    /// The shadow of the heaps of `images` images, of so many bytes each.
    ///
    /// # Panics
    /// If there are no addresses for it, of which it needs twice as many as the heaps.
    pub(crate) fn new(images: usize, heap: usize) -> Self {
        let granules = heap.div_ceil(GRANULE);
        let granules = granules.next_multiple_of(HUGE / size_of::<Cells>());
        let blocks = Blocks::new(images * granules / BLOCK).unwrap_or_else(|error| {
            panic!("no addresses for the race check: {error}; set COARRAY_HEAP lower")
        });
        Self {
            blocks,
            granules,
            tables: (0..TABLES).map(|_| Mutex::default()).collect(),
        }
    }

    /// Whether a byte is in a heap.
    #[inline(always)]
    pub(crate) fn has(&self, offset: usize) -> bool {
        offset < self.granules * GRANULE
    }

    /// Which granule of all it is.
    #[inline(always)]
    fn index(&self, image: usize, number: usize) -> usize {
        image * self.granules + number
    }

    #[inline(always)]
    fn lock_block(&self, image: usize, number: usize) -> Locked<'_> {
        self.blocks.lock(self.index(image, number))
    }

    /// Keeps others from the granule that the span begins in, so that it can be moved and [noted](Self::note_locked) together.
    #[inline]
    pub(crate) fn lock(&self, span: Span) -> Locked<'_> {
        self.lock_block(span.image, span.offset / GRANULE)
    }

    /// The shadow of the granule that the span begins in.
    #[inline(always)]
    pub(crate) fn place(&self, span: Span) -> Place<'_> {
        Place {
            blocks: &self.blocks,
            index: self.index(span.image, span.offset / GRANULE),
        }
    }

    /// Notes an access to the bytes of a span.
    pub(crate) fn note(&self, span: Span, stamp: Stamp, judge: &impl Judge) {
        let all = span.granules();
        let mut next = all.start;
        while next < all.end {
            let image = span.image;
            let locked = self.lock_block(image, next);
            let part = part_of(&all, next);
            next = part.end;
            let is_whole = |number| span.mask(number) == 0xff;
            if part.len() == BLOCK && is_whole(part.start) && is_whole(part.end - 1) {
                let number = part.start;
                self.note_block(&locked, Granule { image, number }, stamp, judge);
            } else {
                for number in part {
                    let stamp = stamp.of_bytes(span.mask(number));
                    self.note_one(&locked, image, number, stamp, judge);
                }
            }
        }
    }

    /// As [`note`](Self::note), of accesses one after the other, until one of them `has_met` others. Returns how many it has noted.
    pub(crate) fn note_some(
        &self,
        accesses: &[Cell<(Span, Stamp)>],
        judge: &impl Judge,
        has_met: impl Fn() -> bool,
    ) -> usize {
        let mut held: Option<(usize, Locked<'_>)> = None;
        for (index, access) in accesses.iter().enumerate() {
            let (span, stamp) = access.get();
            if span.is_in_one_granule() {
                let index = self.index(span.image, span.offset / GRANULE);
                if held
                    .as_ref()
                    .is_none_or(|&(block, _)| block != index / BLOCK)
                {
                    // One after the other: another image may hold the next one and wait for this one.
                    drop(held.take());
                    held = Some((index / BLOCK, self.blocks.lock(index)));
                }
                if let Some((_, locked)) = &held {
                    self.note_locked(locked, span, stamp, judge);
                }
            } else {
                held = None;
                self.note(span, stamp, judge);
            }
            if has_met() {
                return index + 1;
            }
        }
        accesses.len()
    }

    /// As [`note`](Self::note), of a span in one granule that is locked.
    #[inline(always)]
    pub(crate) fn note_locked(
        &self,
        locked: &Locked<'_>,
        span: Span,
        stamp: Stamp,
        judge: &impl Judge,
    ) {
        let number = span.offset / GRANULE;
        let stamp = stamp.of_bytes(span.mask(number));
        self.note_one(locked, span.image, number, stamp, judge);
    }

    /// Forgets all accesses to the bytes of a span: another object begins there.
    pub(crate) fn clear(&self, span: Span) {
        let all = span.granules();
        let [first, end] = [all.start, all.end].map(|number| self.index(span.image, number));
        self.blocks.expect(first..end);
        let mut next = all.start;
        while next < all.end {
            let part = part_of(&all, next);
            next = part.end;
            self.clear_part(&self.lock_block(span.image, part.start), span.image, part);
        }
    }

    fn clear_part(&self, locked: &Locked<'_>, image: usize, part: Range<usize>) {
        // What was never written stays without memory.
        if locked.alike().is_some_and(|all| get(all) == [0, 0]) {
            return;
        }
        if locked.alike().is_none() || part.len() < BLOCK {
            for number in part.clone() {
                let cells = locked.own_cells(number);
                for (cell, of_writes) in cells.iter().zip([true, false]) {
                    if Stamp(cell.load(Ordering::Relaxed)).is_many() {
                        let granule = Granule { image, number };
                        self.table(granule).remove(&(granule, of_writes));
                    }
                }
                set(cells, 0, 0);
            }
        }
        if part.len() == BLOCK {
            locked.set_all(0, 0);
        }
    }
}
