//! The shadow of the heaps: for every eight bytes, which accesses came last.
//!
//! A granule has two cells, for writes and for reads. A cell holds one stamp, or says that several are in a table: of images that read without
//! order, or of those that own neighbouring bytes of the granule. A lock covers a block of 64 granules, so that of two accesses one sees the other.
//! Pages of the shadow exist where something was accessed.

mod meeting;
mod page;
mod written;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock};

pub(crate) use crate::check::shadow::page::Locked;
use crate::check::shadow::page::{BLOCK, PAGE, Page, part_of, set};
use crate::check::stamp::Stamp;

/// Bytes of a granule.
pub(crate) const GRANULE: usize = 8;

/// Tables for cells with several stamps.
const TABLES: usize = 64;

/// What decides about accesses that meet.
pub(crate) trait Judge {
    /// Whether an earlier access to a granule is ordered before this one, or by the same image.
    fn covers(&self, earlier: Stamp, granule: Granule) -> bool;

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

    /// Whether it may be a word.
    #[inline]
    pub(crate) fn is_word(self) -> bool {
        self.length.is_power_of_two()
            && self.length <= GRANULE
            && self.offset.is_multiple_of(self.length)
    }

    /// The first granule of the block that it begins in.
    #[inline]
    fn block(self) -> Granule {
        let (image, number) = (self.image, self.offset / GRANULE / BLOCK * BLOCK);
        Granule { image, number }
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

/// A page that is there when something of it was accessed.
type Lazy = OnceLock<Box<Page>>;

/// The stamps of cells with several.
type Stamps = HashMap<(Granule, bool), Vec<Stamp>>;

/// The shadow of all heaps of a job.
#[derive(Debug)]
pub(crate) struct Shadow {
    parts: Box<[Box<[Lazy]>]>,
    tables: Box<[Mutex<Stamps>]>,
}

/// Where the shadow of a granule is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    page: &'a Page,
    number: usize,
}

impl Place<'_> {
    /// Asks for what an access in few granules needs to be noted soon.
    #[inline]
    pub(crate) fn prefetch(self) {
        self.page.prefetch(self.number);
    }

    /// Whether what was got from there may be a word that others poll.
    #[inline]
    pub(crate) fn has_flags(self) -> bool {
        self.page.has_flags(self.number)
    }
}

impl Shadow {
    /// The shadow of the heaps of `images` images, of so many bytes each.
    pub(crate) fn new(images: usize, heap: usize) -> Self {
        let pages = heap.div_ceil(PAGE * GRANULE);
        let part = || (0..pages).map(|_| OnceLock::new()).collect();
        Self {
            parts: (0..images).map(|_| part()).collect(),
            tables: (0..TABLES).map(|_| Mutex::default()).collect(),
        }
    }

    #[inline]
    fn page(&self, image: usize, number: usize) -> &Page {
        self.parts[image][number / PAGE].get_or_init(Page::new)
    }

    /// Keeps others from the granule that the span begins in, so that it can be moved and [noted](Self::note_locked) together.
    #[inline]
    pub(crate) fn lock(&self, span: Span) -> Locked<'_> {
        let Place { page, number } = self.place(span);
        page.lock(number)
    }

    /// The shadow of the granule that the span begins in.
    #[inline]
    pub(crate) fn place(&self, span: Span) -> Place<'_> {
        let number = span.offset / GRANULE;
        let page = self.page(span.image, number);
        Place { page, number }
    }

    /// Notes an access to the bytes of a span.
    pub(crate) fn note(&self, span: Span, stamp: Stamp, judge: &impl Judge) {
        let all = span.granules();
        let mut next = all.start;
        while next < all.end {
            let image = span.image;
            let locked = self.page(image, next).lock(next);
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
        accesses: &[(Span, Stamp)],
        judge: &impl Judge,
        has_met: impl Fn() -> bool,
    ) -> usize {
        let mut held: Option<(Granule, Locked<'_>)> = None;
        for (index, &(span, stamp)) in accesses.iter().enumerate() {
            if span.is_in_one_granule() {
                let block = span.block();
                if held.as_ref().is_none_or(|(of, _)| *of != block) {
                    // One after the other: another image may hold the next one and wait for this one.
                    drop(held.take());
                    held = Some((block, self.lock(span)));
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
    #[inline]
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
        let mut next = all.start;
        while next < all.end {
            let part = part_of(&all, next);
            if let Some(page) = self.parts[span.image][next / PAGE].get() {
                self.clear_part(&page.lock(next), span.image, part.clone());
            }
            next = part.end;
        }
    }

    fn clear_part(&self, locked: &Locked<'_>, image: usize, part: Range<usize>) {
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
