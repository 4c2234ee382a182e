//! The shadow of the heaps: for every eight bytes, which accesses came last.
//!
//! A granule has two cells, for writes and for reads. A cell holds one stamp, or says that several are in a table: of images that read without
//! order, or of those that own neighbouring bytes of the granule. A lock covers 64 granules, so that of two accesses one sees the other. A word
//! is moved under the lock: what a get returns is what the stamp beside it says. Pages of the shadow exist where something was accessed.

mod written;

use std::collections::HashMap;
use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::check::stamp::Stamp;

/// Bytes of a granule.
pub(crate) const GRANULE: usize = 8;

/// Granules under one lock.
const LOCKED: usize = 64;

/// Granules of a page.
const PAGE: usize = 1 << 15;

/// Tables for cells with several stamps.
const TABLES: usize = 64;

/// How often an image looks for a lock before it yields.
const SPINS: u32 = 100;

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
#[derive(Clone, Copy, Debug)]
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

/// The shadow of a part of a heap.
#[derive(Debug)]
struct Page {
    /// Of each granule that of writes, then that of reads.
    cells: Box<[[AtomicU64; 2]]>,
    locks: Box<[AtomicBool]>,
}

impl Page {
    fn new() -> Box<Self> {
        let cell = || [AtomicU64::new(0), AtomicU64::new(0)];
        Box::new(Self {
            cells: (0..PAGE).map(|_| cell()).collect(),
            locks: (0..PAGE / LOCKED).map(|_| AtomicBool::new(false)).collect(),
        })
    }

    #[inline]
    fn lock(&self, number: usize) -> Locked<'_> {
        let lock = &self.locks[number % PAGE / LOCKED];
        // Acquire pairs with the Release of the former holder: its stamps, and the word that it moved, are seen.
        while lock.swap(true, Ordering::Acquire) {
            await_unlocked(lock);
        }
        Locked { page: self, lock }
    }
}

#[cold]
fn await_unlocked(lock: &AtomicBool) {
    let mut spins = 0;
    while lock.load(Ordering::Relaxed) {
        spins += 1;
        match spins < SPINS {
            true => spin_loop(),
            false => std::thread::yield_now(),
        }
    }
}

/// Granules that one image looks at.
pub(crate) struct Locked<'a> {
    page: &'a Page,
    lock: &'a AtomicBool,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Release pairs with the Acquire of the next holder.
        self.lock.store(false, Ordering::Release);
    }
}

/// A page that is there when something of it was accessed.
type Lazy = OnceLock<Box<Page>>;

type Stamps = Mutex<HashMap<(Granule, bool), Vec<Stamp>>>;

/// The shadow of all heaps of a job.
#[derive(Debug)]
pub(crate) struct Shadow {
    parts: Box<[Box<[Lazy]>]>,
    tables: Box<[Stamps]>,
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
        let number = span.offset / GRANULE;
        self.page(span.image, number).lock(number)
    }

    /// Notes an access to the bytes of a span.
    pub(crate) fn note(&self, span: Span, stamp: Stamp, judge: &impl Judge) {
        let all = span.granules();
        let mut next = all.start;
        while next < all.end {
            let end = all.end.min((next / LOCKED + 1) * LOCKED);
            let locked = self.page(span.image, next).lock(next);
            // The first and the last one may be in the span in part.
            let mut whole = next..end;
            for number in [all.start, all.end - 1] {
                if span.mask(number) != 0xff && whole.contains(&number) {
                    self.note_one(
                        &locked,
                        span.image,
                        number,
                        stamp.of_bytes(span.mask(number)),
                        judge,
                    );
                    if number == whole.start {
                        whole.start += 1;
                    } else {
                        whole.end -= 1;
                    }
                }
            }
            for number in whole {
                self.note_one(&locked, span.image, number, stamp, judge);
            }
            next = end;
        }
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

    #[inline(always)]
    fn note_one(
        &self,
        locked: &Locked<'_>,
        image: usize,
        number: usize,
        mine: Stamp,
        judge: &impl Judge,
    ) {
        let cells = &locked.page.cells[number % PAGE];
        // Relaxed: under the lock.
        let writes = Stamp(cells[0].load(Ordering::Relaxed));
        let reads = Stamp(cells[1].load(Ordering::Relaxed));
        // The common cases: the same again, and what hides all that was there.
        let granule = Granule { image, number };
        let yields = |former| yields(former, mine, granule, judge);
        if mine.is_write() {
            if writes == mine && reads.is_none() {
                return;
            }
            if yields(writes) && yields(reads) {
                cells[0].store(mine.0, Ordering::Relaxed);
                cells[1].store(0, Ordering::Relaxed);
                return;
            }
        } else {
            // A write would have taken it away.
            if reads == mine {
                return;
            }
            if yields(reads) && yields(writes) {
                cells[1].store(mine.0, Ordering::Relaxed);
                return;
            }
        }
        self.meet_both(cells, granule, mine, judge);
    }

    #[cold]
    #[inline(never)]
    fn meet_both(&self, cells: &[AtomicU64; 2], granule: Granule, mine: Stamp, judge: &impl Judge) {
        for (cell, of_writes) in cells.iter().zip([true, false]) {
            let former = Stamp(cell.load(Ordering::Relaxed));
            let left = self.meet(granule, of_writes, former, mine, judge);
            cell.store(left.0, Ordering::Relaxed);
        }
    }

    /// What is left in a cell after an access, which meets what was in it.
    fn meet(
        &self,
        granule: Granule,
        of_writes: bool,
        former: Stamp,
        mine: Stamp,
        judge: &impl Judge,
    ) -> Stamp {
        let joins = of_writes == mine.is_write();
        if former.is_none() {
            return if joins { mine } else { former };
        }
        if former.is_many() {
            return self.meet_many(granule, of_writes, mine, judge);
        }
        let left = left_of(former, mine, granule, judge);
        match (left.is_none(), joins) {
            (true, true) => mine,
            (_, false) => left,
            (false, true) => self.keep(granule, of_writes, vec![left, mine]),
        }
    }

    #[cold]
    fn meet_many(
        &self,
        granule: Granule,
        of_writes: bool,
        mine: Stamp,
        judge: &impl Judge,
    ) -> Stamp {
        let stamps = self
            .table(granule)
            .remove(&(granule, of_writes))
            .unwrap_or_default();
        let left = stamps
            .into_iter()
            .map(|stamp| left_of(stamp, mine, granule, judge));
        let mut left: Vec<Stamp> = left.filter(|left| !left.is_none()).collect();
        if of_writes == mine.is_write() {
            left.push(mine);
        }
        match *left {
            [] => Stamp::NONE,
            [stamp] => stamp,
            _ => self.keep(granule, of_writes, left),
        }
    }

    #[cold]
    fn keep(&self, granule: Granule, of_writes: bool, stamps: Vec<Stamp>) -> Stamp {
        self.table(granule).insert((granule, of_writes), stamps);
        Stamp::MANY
    }

    fn table(
        &self,
        granule: Granule,
    ) -> std::sync::MutexGuard<'_, HashMap<(Granule, bool), Vec<Stamp>>> {
        let table = &self.tables[(granule.number / LOCKED + granule.image) % TABLES];
        table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all accesses to the bytes of a span: another object begins there.
    pub(crate) fn clear(&self, span: Span) {
        for number in span.granules() {
            let Some(page) = self.parts[span.image][number / PAGE].get() else {
                continue;
            };
            let _locked = page.lock(number);
            for (cell, of_writes) in page.cells[number % PAGE].iter().zip([true, false]) {
                if Stamp(cell.swap(0, Ordering::Relaxed)).is_many() {
                    let granule = Granule {
                        image: span.image,
                        number,
                    };
                    self.table(granule).remove(&(granule, of_writes));
                }
            }
        }
    }
}

/// Whether an access needs no judgement where it meets another one, and leaves nothing of it if that is of the same kind.
#[inline(always)]
fn yields(former: Stamp, mine: Stamp, granule: Granule, judge: &impl Judge) -> bool {
    former.is_none()
        || former.mask() & !mine.mask() == 0
            && !former.is_many()
            && former.is_atomic() == mine.is_atomic()
            && (former.image() == mine.image()
                || !mine.is_atomic() && judge.covers(former, granule))
}

/// What is left to be known of an access after one that meets it, which is judged.
fn left_of(former: Stamp, mine: Stamp, granule: Granule, judge: &impl Judge) -> Stamp {
    let shared = former.mask() & mine.mask();
    if shared == 0 {
        return former;
    }
    let is_covered = judge.covers(former, granule);
    let are_atomic = former.is_atomic() && mine.is_atomic();
    let are_reads = !former.is_write() && !mine.is_write();
    if are_atomic && former.is_write() && former.image() != mine.image() {
        judge.finds(former, mine, granule);
    }
    if !(is_covered || are_atomic || are_reads) {
        judge.conflict(former, mine, granule);
    }
    // A read takes no write away, nor a read that others may be unordered with. An atomic access does not hide from other images' atomic ones that
    // its image made a plain one.
    let hides = mine.is_write() || are_reads && is_covered;
    let is_own = former.image() == mine.image();
    let tells_more = is_own && mine.is_atomic() && !former.is_atomic();
    match hides && !tells_more {
        true => former.without(mine.mask()),
        false => former,
    }
}
