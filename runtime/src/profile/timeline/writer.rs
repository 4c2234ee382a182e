//! How an image writes its timeline.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::profile::timeline::{GROWTH, RECORDS, Record, Timeline};

/// Where a timeline is.
pub(crate) trait Room {
    /// The timeline.
    fn timeline(&self) -> &Timeline;

    /// Gets the memory of these records; false if there is none.
    fn grow(&self, records: Range<usize>) -> bool;
}

/// What the image that writes a timeline keeps of it.
pub(crate) struct Writer {
    next: Cell<usize>,
    /// How many records have memory, and whether there is none for more.
    room: Cell<usize>,
    is_full: Cell<bool>,
    memory: Box<dyn Room>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Writer {
    /// Of the timeline there, which is empty. `None` if it gets no memory.
    pub(crate) fn new(memory: Box<dyn Room>) -> Option<Self> {
        memory.grow(0..GROWTH).then(|| Self {
            next: 0.into(),
            room: GROWTH.into(),
            is_full: false.into(),
            memory,
        })
    }

    /// With its timeline.
    pub(crate) fn log(&self) -> Log<'_> {
        Log {
            writer: self,
            timeline: self.memory.timeline(),
        }
    }
}

/// A timeline and its writer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log<'a> {
    writer: &'a Writer,
    pub(crate) timeline: &'a Timeline,
}

/// A record of this image's timeline; none if there was no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(Option<usize>);

impl Entry {
    pub(crate) const NONE: Self = Self(None);
}

impl Log<'_> {
    /// Notes that something begins, which the record of the table with index `line` says what it is.
    pub(crate) fn begin(self, line: usize, now: u64, object: u64, partner: Option<usize>) -> Entry {
        let index = self.writer.next.get();
        if index >= self.writer.room.get() && !self.grow(index) {
            // One writer: no need for an atomic addition.
            let lost = self.timeline.lost.load(Ordering::Relaxed);
            self.timeline.lost.store(lost + 1, Ordering::Relaxed);
            return Entry::NONE;
        }
        let record = &self.timeline.records[index];
        let partner = partner.map_or(0, |image| image as u64 + 1);
        record.begin.store(now, Ordering::Relaxed);
        record.object.store(object, Ordering::Relaxed);
        record
            .what
            .store(line as u64 | partner << 16, Ordering::Relaxed);
        self.writer.next.set(index + 1);
        // Pairs with the Acquire in `read`.
        self.timeline
            .count
            .store(index as u64 + 1, Ordering::Release);
        Entry(Some(index))
    }

    #[cold]
    fn grow(self, index: usize) -> bool {
        let more = index..(index + GROWTH).min(RECORDS);
        // To ask again and again on a full disk would take longer than all else.
        let grows =
            !self.writer.is_full.get() && !more.is_empty() && self.writer.memory.grow(more.clone());
        match grows {
            true => self.writer.room.set(more.end),
            false => self.writer.is_full.set(true),
        }
        grows
    }

    /// Notes that it ends now. It may [go on](Self::go_on).
    pub(crate) fn end(self, entry: Entry, now: u64) {
        if let Some(record) = self.record(entry) {
            record.end.store(now, Ordering::Relaxed);
        }
    }

    /// Notes that it has not ended.
    pub(crate) fn go_on(self, entry: Entry) {
        self.end(entry, 0);
    }

    /// Notes what it is about, if that was not noted before.
    pub(crate) fn note_object(self, entry: Entry, object: u64) {
        if let Some(record) = self.record(entry)
            && record.object.load(Ordering::Relaxed) == 0
        {
            record.object.store(object, Ordering::Relaxed);
        }
    }

    /// Notes for which image it waits, if it is one.
    pub(crate) fn note_partner(self, entry: Entry, image: Option<usize>) {
        if let (Some(record), Some(image)) = (self.record(entry), image) {
            let line = record.what.load(Ordering::Relaxed) & 0xffff;
            let what = line | (image as u64 + 1) << 16;
            record.what.store(what, Ordering::Relaxed);
        }
    }

    /// The record, if it is of this timeline: the guard of a region may have come here from an earlier job of the thread.
    fn record(&self, Entry(index): Entry) -> Option<&Record> {
        let index = index.filter(|&index| index < self.writer.next.get())?;
        self.timeline.records.get(index)
    }
}
#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::profile::timebase::Timebase;
    use crate::profile::timeline::{Origin, Record, Step};

    /// Boxed without a copy on the stack, which is too small.
    fn timeline() -> Box<Timeline> {
        let layout = std::alloc::Layout::new::<Timeline>();
        // SAFETY: the layout is that of the type, all-zero bytes are a valid value as it consists of atomics, and the box frees it.
        unsafe { Box::from_raw(std::alloc::alloc_zeroed(layout).cast()) }
    }

    /// A timeline that asks this for memory.
    struct Asking<F>(Box<Timeline>, F);

    impl<F: Fn(Range<usize>) -> bool> Room for Asking<F> {
        fn timeline(&self) -> &Timeline {
            &self.0
        }

        fn grow(&self, records: Range<usize>) -> bool {
            self.1(records)
        }
    }

    fn writer(grow: impl Fn(Range<usize>) -> bool + 'static) -> Writer {
        Writer::new(Box::new(Asking(timeline(), grow))).unwrap()
    }

    #[test]
    fn what_begun_in_another_timeline_ends_no_record_that_is_not_there() {
        let writer = writer(|_| true);
        let log = writer.log();
        let timeline = log.timeline;
        log.end(Entry(Some(GROWTH + 7)), 5);
        assert_eq!(timeline.records[GROWTH + 7].end.load(Ordering::Relaxed), 0);
        let own = log.begin(1, 2, 0, None);
        log.end(own, 3);
        assert_eq!(timeline.records[0].end.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn records_are_of_32_bytes() {
        assert_eq!(size_of::<Record>(), 32);
        let place = Timeline::place(&(0..RECORDS));
        assert_eq!(
            (place.start, place.end.next_multiple_of(64)),
            (0, size_of::<Timeline>())
        );
    }

    #[test]
    fn what_was_noted_is_read() {
        let writer = writer(|_| true);
        let log = writer.log();
        let timeline = log.timeline;
        timeline.name(7, "solve");
        let first = log.begin(7, 100, 0, Some(0));
        let second = log.begin(3, 110, 55, None);
        log.note_object(second, 66);
        log.end(first, 120);
        log.note_object(first, 9);
        log.end(first, 130);
        log.note_partner(second, None);
        log.end(second, 150);
        log.go_on(second);
        log.note_partner(second, Some(4));
        let timebase = Timebase::until((92, 1001), [(90, 1000)].into_iter());
        let (steps, names, lost) = timeline.read(timebase);
        let expected = [
            (1005, Some(1020), 9, 7, Some(0)),
            (1010, None, 55, 3, Some(4)),
        ]
        .map(|(begin, end, object, line, partner)| Step {
            begin,
            end,
            object,
            line,
            partner,
        });
        assert_eq!(steps, expected);
        assert_eq!((names[7].as_str(), lost), ("solve", 0));
    }

    #[test]
    fn without_room_records_are_counted() {
        let pieces = std::sync::Arc::new(Mutex::new(Vec::new()));
        let asked = pieces.clone();
        let writer = writer(move |piece| {
            asked.lock().unwrap().push(piece);
            true
        });
        let log = writer.log();
        for time in 1..=RECORDS as u64 + 3 {
            let entry = log.begin(0, time, 0, None);
            log.end(entry, time);
        }
        let pieces = pieces.lock().unwrap();
        assert!(pieces.windows(2).all(|two| two[0].end == two[1].start));
        assert_eq!(pieces.last().unwrap().end, RECORDS);
        let (steps, _, lost) = log.timeline.read(Timebase::new([(1, 1)].into_iter()));
        assert_eq!((steps.len(), lost), (RECORDS, 3));
    }

    #[test]
    fn whoever_has_no_room_is_asked_once() {
        let asked = std::rc::Rc::new(std::cell::Cell::new(0));
        let counted = std::rc::Rc::clone(&asked);
        let writer = writer(move |_| counted.replace(counted.get() + 1) == 0);
        let log = writer.log();
        for time in 1..=GROWTH as u64 + 7 {
            log.begin(0, time, 0, None);
        }
        let (steps, _, lost) = log.timeline.read(Timebase::new([(1, 1)].into_iter()));
        assert_eq!((steps.len(), lost, asked.get()), (GROWTH, 7, 2));
    }

    #[test]
    fn who_it_is_of_is_known_when_that_was_noted() {
        let timeline = timeline();
        assert_eq!(timeline.origin(), None);
        let origin = Origin {
            number: 0,
            process: 7,
            host: 3,
            shift: -5,
            host_name: "node3".into(),
        };
        timeline.note_origin(&origin);
        assert_eq!(timeline.origin(), Some(origin));
    }
}
