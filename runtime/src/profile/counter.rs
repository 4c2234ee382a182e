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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::counts::{Count, CountTable};
    use crate::profile::moved::{LineMoves, Moved};

    /// The table and the row of one of three images.
    struct Memory {
        table: Box<CountTable>,
        row: [Count; 3],
    }

    impl Memory {
        fn new() -> Self {
            // SAFETY: all-zero bytes are a valid value of either: they consist of atomics.
            unsafe {
                Self {
                    table: Box::new(std::mem::zeroed()),
                    row: std::mem::zeroed(),
                }
            }
        }

        fn counts(&self) -> Counts<'_> {
            Counts {
                table: &self.table,
                row: &self.row,
            }
        }
    }

    #[track_caller]
    fn put(image: usize, offset: usize, length: usize) -> Operation {
        Operation {
            class: Class::Put,
            code: Class::Put.code(),
            caller: Some(Location::caller()),
            stage: Stage::New,
            image,
            reach: Reach::Near,
            offset,
            length,
            bytes: length,
            pieces: 1,
        }
    }

    fn lines(memory: &Memory) -> Vec<LineMoves> {
        memory.counts().read().0
    }

    #[test]
    fn runs_and_strides_are_those_of_each_line() {
        let (memory, counter) = (Memory::new(), Counter::new());
        let count = |operation| counter.count(memory.counts(), &operation);
        for step in 0..6 {
            // Three side by side, twice.
            count(put(1, step / 3 * 1000 + step % 3 * 8, 8));
            // Always as far apart.
            count(put(2, 100 - 16 * step, 8));
            // To each image in turn.
            count(put(step % 3, 0, 8));
        }
        let found = lines(&memory);
        let found = found.iter().map(|line| {
            let operations = line.all().operations;
            (operations, line.runs, line.stride, line.targets)
        });
        let expected = [(6, 2, Some(8), 1), (6, 6, Some(-16), 1), (6, 6, None, 3)];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        let row = memory.row.each_ref().map(|count| count.get().operations);
        assert_eq!(row, [2, 8, 8]);
        assert_eq!(memory.table.total(Class::Put).get().bytes, 18 * 8);
    }

    #[test]
    fn further_parts_are_the_same_operation_if_they_go_to_the_same_image() {
        let (memory, counter) = (Memory::new(), Counter::new());
        for (image, stage) in [
            (1, Stage::New),
            (1, Stage::GoesOn),
            (2, Stage::GoesOn),
            (2, Stage::GoesOn),
            (2, Stage::New),
        ] {
            let operation = Operation {
                stage,
                ..put(image, 8, 8)
            };
            counter.count(memory.counts(), &operation);
        }
        let [line] = &lines(&memory)[..] else {
            panic!()
        };
        assert_eq!(
            (line.near.operations, line.near.bytes, line.pieces),
            (3, 40, 5)
        );
    }

    #[test]
    fn only_what_is_waited_for_before_all_else_is_waited_for_at_once() {
        let (memory, counter) = (Memory::new(), Counter::new());
        let issue = || {
            let stage = Stage::InFlight;
            let operation = Operation {
                stage,
                ..put(1, 8, 8)
            };
            counter.count(memory.counts(), &operation);
        };
        issue();
        counter.note_wait(memory.counts());
        counter.note_wait(memory.counts());
        issue();
        issue();
        counter.note_wait(memory.counts());
        issue();
        counter.note_other();
        counter.note_wait(memory.counts());
        let [line] = &lines(&memory)[..] else {
            panic!()
        };
        assert_eq!((line.issued, line.waited_at_once), (4, 2));
    }

    #[test]
    fn lines_beyond_the_table_are_one_of_each_class() {
        let (memory, counter) = (Memory::new(), Counter::new());
        let any = put(1, 0, 8);
        for code in 1000..1000 + 2 * LINES as u32 {
            let class = [Class::Put, Class::Get][code as usize % 2];
            let operation = Operation { class, code, ..any };
            counter.count(memory.counts(), &operation);
        }
        let lines = lines(&memory);
        assert_eq!(lines.len(), LINES + 2);
        let others = lines[LINES..].iter().map(|line| {
            let Moved { operations, .. } = line.all();
            (line.place.activity.as_str(), line.place.line, operations)
        });
        let half = LINES as u64 / 2;
        assert_eq!(
            others.collect::<Vec<_>>(),
            [("put", 0, half), ("get", 0, half)]
        );
    }
}
