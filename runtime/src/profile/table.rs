//! What one image has waited for, by line of the program: a table in its part of the region.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::profile::activity::{Activity, name};
use crate::profile::history::History;
use crate::profile::moved::{LineMoves, Moved};
use crate::profile::place::Place;
use coarray_fabric::system::fixed_str::FixedStr;

/// How many lines an image can tell apart; the last record is for all others.
pub(crate) const LINES: usize = 256;

/// What one image has waited for. It alone writes; others read at any time.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct ImageTable {
    /// When the image began, and when it last waited, by the [clock](crate::profile::clock). Relaxed, as all here: who reads while the
    /// image runs gets a time that was right.
    begun: AtomicU64,
    pub(crate) latest: AtomicU64,
    /// When it began, in nanoseconds; and a later time by both, which tells how fast the clock is.
    begun_nanoseconds: AtomicU64,
    rate: [AtomicU64; 2],
    pub(crate) history: History,
    records: [Record; LINES],
}

/// What one image has waited for at one line; times are of the [clock](crate::profile::clock). Relaxed but for `activity`: they only grow.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Record {
    /// What it does there; 0 for none. Written last, with Release, which pairs with the Acquire in `place`.
    activity: AtomicU32,
    line: AtomicU32,
    column: AtomicU32,
    file: FixedStr<176>,
    /// How often it came there.
    calls: AtomicU64,
    waited: AtomicU64,
    /// The image that it waited for more than half of that time, if there is one, and at most by how much more than for all others: the vote of
    /// Boyer and Moore, in which each wait has its time as weight.
    awaited: AtomicU32,
    since: AtomicU32,
    lead: AtomicU64,
    /// For how long it had not waited when it came there, added up, and how often that was next to nothing.
    worked: AtomicU64,
    prompt: AtomicU64,
    /// How often it came last to a barrier, and how long the others waited for it then, on the average of them.
    last: AtomicU64,
    late: AtomicU64,
    /// The longest of these times; before that it had waited where the record `since` is of.
    latest: AtomicU64,
}

impl Record {
    /// One writer: no need for an atomic addition.
    #[inline]
    fn add(counter: &AtomicU64, amount: u64) {
        let sum = counter.load(Ordering::Relaxed) + amount;
        counter.store(sum, Ordering::Relaxed);
    }

    /// Notes that the image comes there, having worked for that long, and whether that is next to nothing.
    #[inline]
    pub(crate) fn note_call(&self, worked: u64, is_prompt: bool) {
        Self::add(&self.calls, 1);
        Self::add(&self.worked, worked);
        Self::add(&self.prompt, u64::from(is_prompt));
    }

    /// Notes a wait, and for which image it was if it was for one.
    #[inline]
    pub(crate) fn note_wait(&self, time: u64, awaited: Option<usize>) {
        Self::add(&self.waited, time);
        let Some(image) = awaited else {
            return;
        };
        let (image, lead) = (image as u32, self.lead.load(Ordering::Relaxed));
        let lead = match lead.checked_sub(time) {
            _ if self.awaited.load(Ordering::Relaxed) == image => lead + time,
            Some(rest) => rest,
            None => {
                self.awaited.store(image, Ordering::Relaxed);
                time - lead
            }
        };
        self.lead.store(lead, Ordering::Relaxed);
    }

    /// Notes that each other image has waited for this one for `time`, on the average, and where this one had waited before.
    #[inline]
    pub(crate) fn note_lateness(&self, time: u64, since: usize) {
        Self::add(&self.last, 1);
        Self::add(&self.late, time);
        if time > self.latest.load(Ordering::Relaxed) {
            self.latest.store(time, Ordering::Relaxed);
            self.since.store(since as u32, Ordering::Relaxed);
        }
    }
}

impl ImageTable {
    /// Notes that the image begins, by the clock and by that of the system.
    pub(crate) fn begin(&self, now: u64, nanoseconds: u64) {
        self.begun.store(now, Ordering::Relaxed);
        self.latest.store(now, Ordering::Relaxed);
        self.begun_nanoseconds.store(nanoseconds, Ordering::Relaxed);
        self.note_rate(now, nanoseconds);
    }

    /// Notes a time by both clocks. Returns when to do so again.
    pub(crate) fn note_rate(&self, now: u64, nanoseconds: u64) -> u64 {
        self.rate[0].store(now, Ordering::Relaxed);
        self.rate[1].store(nanoseconds, Ordering::Relaxed);
        now + now.saturating_sub(self.begun.load(Ordering::Relaxed)) / 4
    }

    /// Notes a wait between two times in the history of the run.
    #[inline]
    pub(crate) fn note_in_history(&self, from: u64, to: u64) {
        let begun = self.begun.load(Ordering::Relaxed);
        let since = |time: u64| time.saturating_sub(begun);
        self.history.note(since(from), since(to));
    }

    /// Nanoseconds in a tick of the clock.
    fn nanoseconds_in_tick(&self) -> f64 {
        let since = |now: &AtomicU64, begun: &AtomicU64| {
            let [now, begun] = [now, begun].map(|time| time.load(Ordering::Relaxed));
            now.saturating_sub(begun) as f64
        };
        let ticks = since(&self.rate[0], &self.begun);
        match ticks > 0.0 {
            true => since(&self.rate[1], &self.begun_nanoseconds) / ticks,
            false => 1.0,
        }
    }

    #[inline]
    pub(crate) fn record(&self, index: usize) -> &Record {
        &self.records[index]
    }

    /// Makes record `index` that of an activity, at a line of the program if it is at one.
    pub(crate) fn describe(
        &self,
        index: usize,
        activity: u32,
        caller: Option<&'static Location<'static>>,
    ) {
        let record = &self.records[index];
        if let Some(caller) = caller {
            // The end of a path is the file's name.
            record.file.set_end(caller.file());
            record.line.store(caller.line(), Ordering::Relaxed);
            record.column.store(caller.column(), Ordering::Relaxed);
        }
        record.activity.store(activity, Ordering::Release);
    }

    /// A copy.
    pub(crate) fn read(&self) -> ImageProfile {
        let number = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let rate = self.nanoseconds_in_tick();
        let nanoseconds = |ticks: u64| (ticks as f64 * rate) as u64;
        let time = |word: &AtomicU64| nanoseconds(number(word));
        let line = |record: &Record| {
            if record.kind()?.is_some_and(Activity::is_no_wait) {
                return None;
            }
            let since = record.since.load(Ordering::Relaxed) as usize;
            Some(LineProfile {
                place: record.place()?,
                calls: number(&record.calls),
                waited: time(&record.waited),
                worked: time(&record.worked),
                prompt: number(&record.prompt),
                awaited: record.awaited.load(Ordering::Relaxed) as usize,
                lead: time(&record.lead),
                last: number(&record.last),
                late: time(&record.late),
                latest: time(&record.latest),
                since: self.records.get(since).and_then(Record::place),
            })
        };
        ImageProfile {
            time: nanoseconds(number(&self.latest).saturating_sub(number(&self.begun))),
            lines: self.records.iter().filter_map(line).collect(),
            part: nanoseconds(self.history.length()),
            parts: self.history.read().into_iter().map(nanoseconds).collect(),
            ..ImageProfile::default()
        }
    }
}

impl ImageTable {
    /// When the image began, by both clocks; `None` if it has not.
    pub(crate) fn begun(&self) -> Option<(u64, u64)> {
        let [clock, nanoseconds] =
            [&self.begun, &self.begun_nanoseconds].map(|word| word.load(Ordering::Relaxed));
        (nanoseconds != 0).then_some((clock, nanoseconds))
    }

    /// The last time that it noted by both clocks; `None` if it has not begun.
    pub(crate) fn last_known(&self) -> Option<(u64, u64)> {
        let [clock, nanoseconds] = [0, 1].map(|word| self.rate[word].load(Ordering::Relaxed));
        (nanoseconds != 0).then_some((clock, nanoseconds))
    }

    /// What its records are of, and whether that is a collective operation or something else.
    pub(crate) fn places(&self) -> impl Iterator<Item = Option<(Place, Option<Activity>)>> {
        self.records
            .iter()
            .map(|record| Some((record.place()?, record.kind()?)))
    }
}

impl Record {
    /// What else than a collective operation it is of, if it is of anything.
    fn kind(&self) -> Option<Option<Activity>> {
        // Pairs with the Release in `describe`.
        let code = self.activity.load(Ordering::Acquire);
        (code != 0).then(|| Activity::of(code))
    }

    /// What it is of, if it is of anything.
    fn place(&self) -> Option<Place> {
        // Pairs with the Release in `describe`.
        let code = self.activity.load(Ordering::Acquire);
        (code != 0).then(|| Place {
            file: self.file.get(),
            line: self.line.load(Ordering::Relaxed),
            column: self.column.load(Ordering::Relaxed),
            activity: name(code).into(),
        })
    }
}

/// What one image has waited for, and what it has moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageProfile {
    /// How long it ran, until its end or its last wait, in nanoseconds.
    pub time: u64,
    /// The lines at which it waited.
    pub lines: Vec<LineProfile>,
    /// How long it waited in each part of its run, up to the last in which it did, and how long a part is.
    pub part: u64,
    /// See `part`.
    pub parts: Vec<u64>,
    /// What it moved by the operations of each line; empty unless the job [counts](crate::Profile::Puts).
    pub moves: Vec<LineMoves>,
    /// What it moved to and from the memory of each image; empty unless the job counts.
    pub row: Vec<Moved>,
}

/// What one image has waited for at one line; times are in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineProfile {
    /// The line.
    pub place: Place,
    /// How often the image came to a collective operation there, or had to wait for anything else.
    pub calls: u64,
    /// How long it waited.
    pub waited: u64,
    /// For how long it had not waited when it came there, since its last wait or collective operation, added up.
    pub worked: u64,
    /// How often that was next to nothing: some microseconds.
    pub prompt: u64,
    /// The image that it waited for the most, if `lead` is a good part of the time that it waited.
    pub awaited: usize,
    /// How much longer that was than it waited for all others, at most; 0 if nobody knows for which images it waited.
    pub lead: u64,
    /// How often it was the last one to come to a barrier there.
    pub last: u64,
    /// How long each of the others waited for it then, on the average, added up.
    pub late: u64,
    /// The longest of these times.
    pub latest: u64,
    /// Where the image had waited before it was so late.
    pub since: Option<Place>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_that_was_awaited_the_most_is_known() {
        // SAFETY: all-zero bytes are a valid value: it consists of atomics.
        let table: Box<ImageTable> = unsafe { Box::new(std::mem::zeroed()) };
        table.begin(1000, 70);
        assert_eq!(table.note_rate(1400, 270), 1500);
        table.latest.store(1600, Ordering::Relaxed);
        table.describe(1, 1, Some(Location::caller()));
        for (time, awaited) in [
            (5, Some(3)),
            (4, Some(2)),
            (90, Some(7)),
            (7, None),
            (20, Some(1)),
            (1, Some(7)),
        ] {
            table.record(1).note_call(time + 3, time < 5);
            table.record(1).note_wait(time, awaited);
        }
        let profile = table.read();
        let [line] = &profile.lines[..] else {
            panic!("{profile:?}")
        };
        // A tick is half a nanosecond.
        assert_eq!(profile.time, 300);
        assert_eq!((line.calls, line.waited), (6, 127 / 2));
        assert_eq!((line.awaited, line.lead), (7, 70 / 2));
        assert_eq!((line.worked, line.prompt), (145 / 2, 2));
        assert!(line.place.file.ends_with("table.rs"));
    }
}
