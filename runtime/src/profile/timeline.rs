//! What one image did, one thing after the other: records in its part of the region, which another process can read when the image is gone.
//!
//! Only a job that is [traced](crate::job::settings::Settings::trace) has room for them. A record is made when something begins, and gets its end
//! later. So records are in the order in which things began, and what an image was in the middle of when it was killed has one, too.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::profile::activity::Activity;
use crate::profile::clock::{Clock, nanoseconds};
use crate::profile::place::Place;
use crate::profile::table::LINES;
use coarray_fabric::system::fixed_str::FixedStr;

/// How many records an image makes; later ones are only counted.
pub(crate) const RECORDS: usize = 1 << 20;

/// So many get their memory at once.
pub(crate) const GROWTH: usize = 1 << 12;

/// The records of one image. It alone writes; others read at any time.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Timeline {
    /// How many records there are. Written with Release after the record, which pairs with the Acquire in `read`.
    count: AtomicU64,
    /// How many there would be if there was more room.
    lost: AtomicU64,
    /// What is known of the image: its number plus 1, its process, the number of its host, and what is to be added to its times.
    origin: [AtomicU64; 4],
    host_name: FixedStr<60>,
    /// The names of regions, and of what collective operations are parts of, by the record of the [table](crate::profile::table) that has their line.
    names: [FixedStr<60>; LINES],
    records: [Record; RECORDS],
}

/// Something that an image did: 32 bytes. Relaxed, but for the count of all.
#[derive(Debug)]
#[repr(C)]
struct Record {
    begin: AtomicU64,
    /// 0 until it ends.
    end: AtomicU64,
    /// The number of the object that others know it by, if there is one.
    object: AtomicU64,
    /// Bits 15..0: the record of the table that says what it is. Above: the image that it was for, plus 1.
    what: AtomicU64,
}

impl Timeline {
    /// Where in it these records are.
    pub(crate) fn place(records: &Range<usize>) -> Range<usize> {
        let offset =
            |index: usize| std::mem::offset_of!(Self, records) + index * size_of::<Record>();
        // What is before the records belongs to the first.
        let start = if records.start == 0 {
            0
        } else {
            offset(records.start)
        };
        start..offset(records.end)
    }

    /// Notes what is known of the image.
    pub(crate) fn note_origin(&self, origin: &Origin) {
        let Origin {
            number,
            process,
            host,
            shift,
            host_name,
        } = origin;
        self.host_name.set(host_name);
        let words = [
            *number as u64 + 1,
            u64::from(*process),
            *host as u64,
            *shift as u64,
        ];
        for (place, word) in self.origin.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
    }

    /// What was noted of the image, if anything was.
    pub(crate) fn origin(&self) -> Option<Origin> {
        let [number, process, host, shift] =
            [0, 1, 2, 3].map(|word: usize| self.origin[word].load(Ordering::Relaxed));
        Some(Origin {
            number: number.checked_sub(1)? as usize,
            process: process as u32,
            host: host as usize,
            shift: shift as i64,
            host_name: self.host_name.get(),
        })
    }

    /// Gives a name to a region, or to what a collective operation is a part of; the record of the table with this index has its line.
    pub(crate) fn name(&self, line: usize, name: &str) {
        self.names[line].set(name);
    }

    /// A copy, with times in nanoseconds.
    pub(crate) fn read(&self, timebase: Timebase) -> (Vec<Step>, Vec<String>, u64) {
        let number = |word: &AtomicU64| word.load(Ordering::Relaxed);
        // Pairs with the Release in `Log::begin`.
        let count = (self.count.load(Ordering::Acquire) as usize).min(RECORDS);
        let step = |record: &Record| {
            let (end, what) = (number(&record.end), number(&record.what));
            Step {
                begin: timebase.nanoseconds(number(&record.begin)),
                end: (end != 0).then(|| timebase.nanoseconds(end)),
                object: number(&record.object),
                line: (what & 0xffff) as usize,
                partner: (what >> 16).checked_sub(1).map(|image| image as usize),
            }
        };
        let steps = self.records[..count].iter().map(step).collect();
        let names = self.names.iter().map(FixedStr::get).collect();
        (steps, names, number(&self.lost))
    }
}

/// Whose timeline one is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The image.
    pub number: usize,
    /// Its process.
    pub process: u32,
    /// The number of its host, which is that of an image there.
    pub host: usize,
    /// What is added to its times, in nanoseconds, so that they are those of the host of image 0.
    pub shift: i64,
    /// The name of its host.
    pub host_name: String,
}

/// Something that an image did. Times are in nanoseconds, of a clock that all images of the machine share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When it began.
    pub begin: u64,
    /// When it ended, if it did.
    pub end: Option<u64>,
    /// The barrier, event or lock that it was about, as a number that is the same on all images; 0 for none.
    pub object: u64,
    /// What it was, as an index of the image's lines.
    pub line: usize,
    /// The image that was waited for, if it was one.
    pub partner: Option<usize>,
}

/// What one image of a job that is traced did.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// One thing after the other, in the order in which they began.
    pub steps: Vec<Step>,
    /// What they were, and at which lines; and what else than a collective operation, if they were none.
    pub lines: Vec<Option<(Place, Option<Activity>)>>,
    /// How many more there would be if there was more room.
    pub lost: u64,
    /// When the image last ended a wait, in nanoseconds.
    pub latest: u64,
}

/// What turns times of the clock of profiles into nanoseconds, the same for all images of the machine: so what was before something
/// else stays before it.
#[derive(Clone, Copy, Debug)]
pub struct Timebase {
    clock: u64,
    nanoseconds: u64,
    nanoseconds_in_tick: f64,
}

impl Timebase {
    /// By the times at which images began, by both clocks, and the time now: the longer ago that was, the better.
    pub fn new(begins: impl Iterator<Item = (u64, u64)>) -> Self {
        Self::until((Clock::new().now(), nanoseconds()), begins)
    }

    /// As [`new`](Self::new), by another time than now.
    pub fn until(now: (u64, u64), begins: impl Iterator<Item = (u64, u64)>) -> Self {
        let (clock, nanoseconds) = begins.min().unwrap_or(now);
        let ticks = now.0.saturating_sub(clock) as f64;
        let nanoseconds_in_tick = match ticks > 0.0 {
            true => now.1.saturating_sub(nanoseconds) as f64 / ticks,
            false => 1.0,
        };
        Self {
            clock,
            nanoseconds,
            nanoseconds_in_tick,
        }
    }

    pub(crate) fn nanoseconds(self, time: u64) -> u64 {
        let ticks = time.saturating_sub(self.clock) as f64;
        self.nanoseconds + (ticks * self.nanoseconds_in_tick) as u64
    }
}

/// Where a timeline is.
pub(crate) trait Room {
    /// The timeline.
    fn timeline(&self) -> &Timeline;

    /// Gets the memory of these records; false if there is none.
    fn grow(&self, records: Range<usize>) -> bool;
}

/// What the image that writes a timeline keeps of it.
pub(crate) struct Writer {
    next: std::cell::Cell<usize>,
    /// How many records have memory, and whether there is none for more.
    room: std::cell::Cell<usize>,
    is_full: std::cell::Cell<bool>,
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
        let timebase = Timebase {
            clock: 90,
            nanoseconds: 1000,
            nanoseconds_in_tick: 0.5,
        };
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

    #[test]
    fn what_was_before_stays_before() {
        let timebase = Timebase::new([(900, 50), (400, 30)].into_iter());
        let times: Vec<u64> = (0..2000).map(|time| timebase.nanoseconds(time)).collect();
        assert!(times.is_sorted());
        assert_eq!(times[400], 30);
    }
}
