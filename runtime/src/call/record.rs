//! Source lines and subjects of an image's latest calls, for the reports of other images.

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::call::Call;
use coarray_fabric::system::fixed_str::FixedStr;

/// How many texts an image keeps, the last ones that it has written.
const KEPT: usize = 16;

/// The texts of an image's latest calls.
///
/// They are read only after a mismatch or in a deadlock, for a call whose signature is known. The image cannot have left its last call,
/// so that record does not change. An earlier one, of a call that posted something, may be replaced at any time.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct CallRecords {
    /// The number of the record of the last call. Relaxed: the reader has acquired the signature, which was published after the record, or
    /// the sleep record.
    last: AtomicU64,
    records: [CallRecord; KEPT],
}

/// Source line and subject of a call.
#[derive(Debug)]
#[repr(C)]
struct CallRecord {
    /// Its number, from 1; 0 while it changes.
    number: AtomicU64,
    line: AtomicU32,
    column: AtomicU32,
    file: FixedStr<196>,
    subject: FixedStr<196>,
}

/// Source line and subject, by which the image that writes them knows them again.
type Texts = (Option<&'static Location<'static>>, &'static str);

/// What the image has recorded, so that texts are not written again.
#[derive(Debug, Default)]
pub(crate) struct LastCall {
    texts: Cell<Texts>,
    /// Of which call that record is, also if the next call is to differ.
    recorded: Cell<Texts>,
    /// The number of the record.
    number: Cell<u64>,
    /// How many records were written.
    written: Cell<u64>,
    /// The records that are kept.
    kept: [Cell<Texts>; KEPT],
}

impl LastCall {
    /// Whether these texts are those of the last call.
    #[inline]
    pub(crate) fn is_like(&self, call: &Call) -> bool {
        are_texts_of(self.texts.get(), call)
    }

    /// Makes the next call differ from the last one.
    pub(crate) fn forget(&self) {
        self.texts.set((None, ""));
        self.recorded.set((None, ""));
    }

    /// Makes the next call differ from the last one, of which the line stays known.
    pub(crate) fn differ(&self) {
        /// The subject of no call.
        static NO_SUBJECT: &str = "no subject";
        self.texts.set((self.texts.get().0, NO_SUBJECT));
    }

    /// Where it was called.
    pub(crate) fn caller(&self) -> Option<&'static Location<'static>> {
        self.texts.get().0
    }

    /// The number of its record.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.number.get()
    }
}

fn are_texts_of((caller, subject): Texts, call: &Call) -> bool {
    caller.is_some_and(|caller| std::ptr::eq(caller, call.caller()))
        && std::ptr::eq(subject, call.subject())
}

/// Where the record with this number is.
fn index_of(number: u64) -> usize {
    (number % KEPT as u64) as usize
}

impl CallRecords {
    /// Records the image's call, of which `last` knows.
    pub(crate) fn write(&self, call: &Call, last: &LastCall) {
        if are_texts_of(last.recorded.get(), call) {
            last.texts.set(last.recorded.get());
            return;
        }
        let written = last.written.get();
        let is_kept = |number: &u64| are_texts_of(last.kept[index_of(*number)].get(), call);
        let number = (written.saturating_sub(KEPT as u64 - 1).max(1)..=written)
            .find(is_kept)
            .unwrap_or_else(|| {
                let number = written + 1;
                self.records[index_of(number)].write(call, number);
                last.written.set(number);
                number
            });
        let texts = (Some(call.caller()), call.subject());
        last.kept[index_of(number)].set(texts);
        last.texts.set(texts);
        last.recorded.set(texts);
        last.number.set(number);
        self.last.store(number, Ordering::Relaxed);
    }

    /// Line and subject of the last call.
    pub(crate) fn last(&self) -> Option<[String; 2]> {
        self.read(self.last.load(Ordering::Relaxed))
    }

    /// Line and subject of the call with this record, if it is still there.
    pub(crate) fn read(&self, number: u64) -> Option<[String; 2]> {
        let record = &self.records[index_of(number)];
        // Acquire pairs with the Release in `write`.
        let is_it = record.number.load(Ordering::Acquire) == number;
        let [line, column] = [&record.line, &record.column].map(|one| one.load(Ordering::Relaxed));
        let texts = [&record.file, &record.subject].map(FixedStr::get);
        // Pairs with the fence in `write`: who has read any of its words sees that the number is gone.
        fence(Ordering::Acquire);
        let is_still = record.number.load(Ordering::Relaxed) == number;
        let [file, subject] = texts;
        (is_it && is_still).then(|| [format!("{file}:{line}:{column}"), subject])
    }
}

impl CallRecord {
    fn write(&self, call: &Call, number: u64) {
        self.number.store(0, Ordering::Relaxed);
        // Pairs with the fence in `read`.
        fence(Ordering::Release);
        let caller = call.caller();
        self.line.store(caller.line(), Ordering::Relaxed);
        self.column.store(caller.column(), Ordering::Relaxed);
        // The end of a path is the file's name.
        self.file.set_end(caller.file());
        self.subject.set(call.subject());
        // Pairs with the Acquire in `read`.
        self.number.store(number, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::operation::Operation;

    const SUBJECTS: [&str; 18] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r",
    ];

    fn records() -> Box<CallRecords> {
        // SAFETY: all-zero bytes are a valid value: it consists of atomics.
        Box::new(unsafe { std::mem::zeroed() })
    }

    fn call(subject: &'static str) -> Call {
        Call::of(Operation::Create, subject, Location::caller())
    }

    #[test]
    fn texts_are_written_once_and_the_last_ones_are_kept() {
        let (records, last) = (records(), LastCall::default());
        let mut numbers = Vec::new();
        let calls = SUBJECTS.map(call);
        for call in &calls[..KEPT] {
            records.write(call, &last);
            numbers.push(last.number());
        }
        for (call, number) in calls[..KEPT].iter().zip(&numbers) {
            records.write(call, &last);
            assert_eq!(last.number(), *number);
            assert_eq!(records.read(*number).unwrap()[1], call.subject());
            assert_eq!(records.last(), records.read(*number));
        }
        records.write(&calls[KEPT], &last);
        assert_eq!(records.read(numbers[0]), None);
        assert_eq!(records.read(numbers[1]).unwrap()[1], "b");
        records.write(&calls[0], &last);
        assert_eq!(records.last().unwrap()[1], "a");
        assert_eq!(records.read(numbers[1]), None);
    }

    #[test]
    fn a_call_that_was_forgotten_is_recorded_again() {
        let (records, last) = (records(), LastCall::default());
        let call = call("x");
        records.write(&call, &last);
        last.forget();
        assert!(!last.is_like(&call) && last.caller().is_none());
        records.write(&call, &last);
        assert!(last.is_like(&call));
        assert_eq!(last.number(), 1);
    }
}
