//! What one image has moved, by line of the program and by image: a table in its part of the region.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::profile::activity::{Activity, name};
use crate::profile::moved::{LineMoves, Moved};
use crate::profile::place::Place;
use coarray_fabric::system::fixed_str::FixedStr;

/// How many lines an image can tell apart; the records behind these are for all others, one for each class.
pub(crate) const LINES: usize = 256;

/// What is counted apart from each other, whatever the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Puts.
    Put,
    /// Gets.
    Get,
    /// Atomic operations.
    Atomic,
    /// Puts that notify.
    PutNotify,
    /// Posts of events.
    Post,
    /// Locks that are taken.
    Lock,
    /// What came in a collective operation.
    Collective,
    /// What the library does for itself.
    Library,
}

impl Class {
    pub(crate) const ALL: [Self; 8] = [
        Self::Put,
        Self::Get,
        Self::Atomic,
        Self::PutNotify,
        Self::Post,
        Self::Lock,
        Self::Collective,
        Self::Library,
    ];

    fn activity(self) -> Activity {
        match self {
            Self::Put => Activity::Put,
            Self::Get => Activity::Get,
            Self::Atomic => Activity::Atomic,
            Self::PutNotify => Activity::PutNotify,
            Self::Post => Activity::Post,
            Self::Lock => Activity::Lock,
            Self::Collective | Self::Library => Activity::Library,
        }
    }

    /// The number in tables of what such an operation is, but for collective ones.
    pub(crate) fn code(self) -> u32 {
        self.activity().code()
    }
}

/// How an image reaches another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Own,
    Near,
    Far,
}

/// Operations and bytes. The image alone writes it, and others read it at any time. Relaxed, as all here: they only grow.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Count {
    operations: AtomicU64,
    bytes: AtomicU64,
}

impl Count {
    #[inline]
    pub(crate) fn add(&self, operations: u64, bytes: u64) {
        add(&self.operations, operations);
        add(&self.bytes, bytes);
    }

    pub(crate) fn get(&self) -> Moved {
        Moved {
            operations: self.operations.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

/// One writer: no need for an atomic addition.
#[inline]
fn add(counter: &AtomicU64, amount: u64) {
    let sum = counter.load(Ordering::Relaxed) + amount;
    counter.store(sum, Ordering::Relaxed);
}

/// What one image has moved.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct CountTable {
    /// By class.
    totals: [Count; Class::ALL.len()],
    records: [CountRecord; LINES + Class::ALL.len()],
}

/// What one image has moved by the operations of one line.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct CountRecord {
    /// What it does there; 0 for none. Written last, with Release, which pairs with the Acquire in `read`.
    what: AtomicU32,
    line: AtomicU32,
    column: AtomicU32,
    file: FixedStr<176>,
    /// By [`Reach`].
    moved: [Count; 3],
    pieces: AtomicU64,
    runs: AtomicU64,
    /// The distance of most operations from the one before, if there is one, and by how many it leads: the vote of Boyer and Moore.
    stride: AtomicU64,
    lead: AtomicU64,
    /// A bit for each image that was a target, by its number modulo 64.
    targets: AtomicU64,
    issued: AtomicU64,
    waited_at_once: AtomicU64,
}

impl CountRecord {
    #[inline]
    pub(crate) fn add(&self, reach: Reach, image: usize, [operations, bytes, pieces]: [u64; 3]) {
        self.moved[reach as usize].add(operations, bytes);
        add(&self.pieces, pieces);
        let targets = self.targets.load(Ordering::Relaxed) | 1 << (image % 64);
        self.targets.store(targets, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn note_run(&self) {
        add(&self.runs, 1);
    }

    /// Notes how far an operation begins from the one before, if both go to one image.
    #[inline]
    pub(crate) fn note_stride(&self, stride: Option<i64>) {
        let lead = self.lead.load(Ordering::Relaxed);
        let lead = match stride {
            Some(stride) if lead > 0 && self.stride.load(Ordering::Relaxed) == stride as u64 => {
                lead + 1
            }
            Some(stride) if lead == 0 => {
                self.stride.store(stride as u64, Ordering::Relaxed);
                1
            }
            _ => lead.saturating_sub(1),
        };
        self.lead.store(lead, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn note_issue(&self) {
        add(&self.issued, 1);
    }

    pub(crate) fn note_wait_at_once(&self) {
        add(&self.waited_at_once, 1);
    }

    fn read(&self) -> Option<LineMoves> {
        // Pairs with the Release in `describe`.
        let what = self.what.load(Ordering::Acquire);
        if what == 0 {
            return None;
        }
        let number = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let [own, near, far] = self.moved.each_ref().map(Count::get);
        let distances = (own.operations + near.operations + far.operations).saturating_sub(1);
        let lead = number(&self.lead);
        let is_common = lead > 0 && 2 * lead >= distances;
        Some(LineMoves {
            place: Place {
                file: self.file.get(),
                line: self.line.load(Ordering::Relaxed),
                column: self.column.load(Ordering::Relaxed),
                activity: name(what).into(),
            },
            own,
            near,
            far,
            pieces: number(&self.pieces),
            runs: number(&self.runs),
            stride: is_common.then(|| number(&self.stride) as i64),
            targets: number(&self.targets).count_ones().into(),
            issued: number(&self.issued),
            waited_at_once: number(&self.waited_at_once),
        })
    }
}

/// The table of an image, and what it has moved to and from the memory of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts<'a> {
    pub(crate) table: &'a CountTable,
    pub(crate) row: &'a [Count],
}

impl CountTable {
    #[inline]
    pub(crate) fn record(&self, index: usize) -> &CountRecord {
        &self.records[index]
    }

    #[inline]
    pub(crate) fn total(&self, class: Class) -> &Count {
        &self.totals[class as usize]
    }

    /// Makes record `index` that of what is done at a line of the program, if it is at one.
    pub(crate) fn describe(
        &self,
        index: usize,
        what: u32,
        caller: Option<&'static Location<'static>>,
    ) {
        let record = &self.records[index];
        if let Some(caller) = caller {
            // The end of a path is the file's name.
            record.file.set_end(caller.file());
            record.line.store(caller.line(), Ordering::Relaxed);
            record.column.store(caller.column(), Ordering::Relaxed);
        }
        record.what.store(what, Ordering::Release);
    }
}

impl Counts<'_> {
    /// Copies of what each line moved, and of the row; neither if nothing moved.
    pub(crate) fn read(self) -> (Vec<LineMoves>, Vec<Moved>) {
        let moves: Vec<_> = self
            .table
            .records
            .iter()
            .filter_map(CountRecord::read)
            .collect();
        let row = match moves.is_empty() {
            true => Vec::new(),
            false => self.row.iter().map(Count::get).collect(),
        };
        (moves, row)
    }
}
