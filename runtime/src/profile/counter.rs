//! What an image keeps to count its operations, besides the [table](crate::profile::counts).

use std::cell::{Cell, RefCell};
use std::panic::Location;

use crate::profile::counts::{Class, Counts, LINES, Reach};
use coarray_fabric::transport::site::Stage;

/// Slots of the table of known lines: several for each, so that the first one that is looked at is mostly the right one.
const SLOTS: usize = 4 * LINES;

/// A line and what is done there: the place in memory of the line's description, and a code.
type Key = (usize, u32);

/// What an image keeps to count.
#[derive(Debug)]
pub(crate) struct Counter {
    lines: RefCell<Lines>,
    /// The record of the last asynchronous operation, if the image has done nothing else since.
    issued: Cell<Option<usize>>,
    /// The collective operation that the image came to last.
    collective: Cell<Option<(&'static Location<'static>, u32)>>,
}

#[derive(Debug)]
struct Lines {
    /// What each record is of, and where its last operation was.
    known: Vec<(Key, Last)>,
    /// The records, by hashes of their keys; 0 for none, else one more than its number.
    slots: Box<[u16; SLOTS]>,
    /// The records of all other lines, by class.
    others: [Last; Class::ALL.len()],
}

/// Where the last operation of a line was.
#[derive(Clone, Copy, Debug)]
struct Last {
    image: usize,
    start: usize,
    end: usize,
}

const NOWHERE: Last = Last {
    image: usize::MAX,
    start: 0,
    end: 0,
};

/// An operation, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) class: Class,
    /// What it is, and at which line.
    pub(crate) code: u32,
    pub(crate) caller: Option<&'static Location<'static>>,
    pub(crate) stage: Stage,
    pub(crate) image: usize,
    pub(crate) reach: Reach,
    /// Where it begins in the part of the image, and how many bytes there are from there to its end.
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) bytes: usize,
    pub(crate) pieces: usize,
}

impl Counter {
    pub(crate) fn new() -> Self {
        Self {
            lines: RefCell::new(Lines {
                known: Vec::with_capacity(LINES),
                slots: Box::new([0; SLOTS]),
                others: [NOWHERE; Class::ALL.len()],
            }),
            issued: Cell::new(None),
            collective: Cell::new(None),
        }
    }

    /// Counts an operation, or a part of one.
    #[inline]
    pub(crate) fn count(&self, counts: Counts<'_>, operation: &Operation) {
        let mut lines = self.lines.borrow_mut();
        let Operation { image, class, .. } = *operation;
        let (index, last) = lines.find(counts, operation);
        let record = counts.table.record(index);
        let goes_on = operation.stage == Stage::GoesOn && last.image == image;
        let count = [
            u64::from(!goes_on),
            operation.bytes as u64,
            operation.pieces as u64,
        ];
        record.add(operation.reach, image, count);
        if !goes_on {
            if (last.image, last.end) != (image, operation.offset) {
                record.note_run();
            }
            if last.image != NOWHERE.image {
                let distance = operation.offset.wrapping_sub(last.start) as i64;
                record.note_stride((last.image == image).then_some(distance));
            }
            *last = Last {
                image,
                start: operation.offset,
                end: 0,
            };
        }
        last.end = operation.offset + operation.length;
        let is_issue = operation.stage == Stage::InFlight;
        if is_issue {
            record.note_issue();
        }
        // A further part of an asynchronous operation.
        if is_issue || !goes_on {
            self.issued.set(is_issue.then_some(index));
        }
        counts.table.total(class).add(count[0], count[1]);
        if class != Class::Library {
            counts.row[image].add(count[0], count[1]);
        }
    }

    /// Notes that the image waits for an operation.
    pub(crate) fn note_wait(&self, counts: Counts<'_>) {
        if let Some(index) = self.issued.take() {
            counts.table.record(index).note_wait_at_once();
        }
    }

    /// Notes that the image has to do with others.
    pub(crate) fn note_other(&self) {
        self.issued.set(None);
    }

    /// Notes that the image comes to a collective operation with this code.
    pub(crate) fn enter_call(&self, caller: &'static Location<'static>, code: u32) {
        self.issued.set(None);
        self.collective.set(Some((caller, code)));
    }

    /// Counts bytes that came from an image in the collective operation that this one came to last.
    pub(crate) fn count_collective(
        &self,
        counts: Counts<'_>,
        image: usize,
        reach: Reach,
        bytes: usize,
    ) {
        let call = self.collective.get();
        self.count(
            counts,
            &Operation {
                class: Class::Collective,
                code: call.map_or(Class::Collective.code(), |(_, code)| code),
                caller: call.map(|(caller, _)| caller),
                stage: Stage::New,
                image,
                reach,
                offset: 0,
                length: bytes,
                bytes,
                pieces: 1,
            },
        );
    }
}

impl Lines {
    /// The record of an operation, and where the last one of that line was.
    #[inline]
    fn find(&mut self, counts: Counts<'_>, operation: &Operation) -> (usize, &mut Last) {
        let place = operation
            .caller
            .map_or(0, |caller| std::ptr::from_ref(caller).addr());
        let key = (place, operation.code);
        let mut slot = hash(key);
        loop {
            match self.slots[slot] {
                0 => return self.add(counts, operation, key, slot),
                number if self.known[usize::from(number) - 1].0 == key => {
                    let index = usize::from(number) - 1;
                    return (index, &mut self.known[index].1);
                }
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn add(
        &mut self,
        counts: Counts<'_>,
        operation: &Operation,
        key: Key,
        slot: usize,
    ) -> (usize, &mut Last) {
        let index = self.known.len();
        if index == LINES {
            let class = operation.class as usize;
            // What it is is told, but not where.
            let code = operation.class.code();
            counts.table.describe(LINES + class, code, None);
            return (LINES + class, &mut self.others[class]);
        }
        counts
            .table
            .describe(index, operation.code, operation.caller);
        self.known.push((key, NOWHERE));
        self.slots[slot] = index as u16 + 1;
        (index, &mut self.known[index].1)
    }
}

fn hash((place, code): Key) -> usize {
    // Descriptions of lines are a few words apart.
    let mixed = (place as u64 >> 3 ^ u64::from(code) << 5).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 48) as usize % SLOTS
}
