//! What an image notes of its own waits, and in a job that is traced of all else that timelines show.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::Ordering;

use crate::call::Call;
use crate::call::operation::Operation;
use crate::profile::activity::{Activity, code_of_call};
use crate::profile::arrival_times::lateness;
use crate::profile::clock::{Clock, nanoseconds};
use crate::profile::table::{ImageTable, LINES};
use crate::profile::timeline::writer::{Entry, Log, Writer};

/// What an image keeps of its profile besides the table.
#[derive(Debug)]
pub(crate) struct Recorder {
    clock: Clock,
    /// When the table is to be told next how fast the clock is.
    rate_due: Cell<u64>,
    /// What each record is of.
    keys: RefCell<Vec<Key>>,
    /// The record that was looked for last.
    found: Cell<Option<(Key, usize)>>,
    /// The record of the collective operation that the image was in last, and when it came there.
    call: Cell<usize>,
    called: Cell<u64>,
    /// The same of the one before.
    called_before: Cell<u64>,
    /// Whether it is in a barrier, whose waits count as one.
    is_in_barrier: Cell<bool>,
    /// The record of its last wait.
    before: Cell<usize>,
    /// The timeline, if the job is traced.
    writer: Option<Writer>,
    /// That operation in the timeline, and whether the image has not come to its first step.
    entry: Cell<Entry>,
    is_before_first: Cell<bool>,
}

/// What a record is of: the place in memory of a line's description, the activity, and the name of the region, or of what a collective operation is a
/// part of.
type Key = (usize, u32, *const str);

impl Recorder {
    pub(crate) fn new(writer: Option<Writer>) -> Self {
        Self {
            clock: Clock::new(),
            rate_due: Cell::new(0),
            keys: RefCell::default(),
            found: Cell::new(None),
            call: Cell::new(0),
            called: Cell::new(0),
            called_before: Cell::new(0),
            is_in_barrier: Cell::new(false),
            before: Cell::new(0),
            writer,
            entry: Cell::new(Entry::NONE),
            is_before_first: Cell::new(false),
        }
    }

    /// Whether it writes a timeline.
    pub(crate) fn is_traced(&self) -> bool {
        self.writer.is_some()
    }
}

/// A recorder and its table: two words, which are passed in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recording<'a> {
    pub(crate) recorder: &'a Recorder,
    pub(crate) table: &'a ImageTable,
}

impl<'a> Recording<'a> {
    /// The timeline, if the job is traced.
    #[inline]
    fn log(self) -> Option<Log<'a>> {
        self.recorder.writer.as_ref().map(Writer::log)
    }

    #[inline]
    fn now(self) -> u64 {
        self.recorder.clock.now()
    }

    /// Notes that the image begins.
    pub(crate) fn begin(self) {
        self.table.begin(self.now(), nanoseconds());
        let record = self.find(None, Activity::Start.code(), "");
        self.recorder.call.set(record);
    }

    /// The record of an activity, at a line of the program if it is at one, in a region or an operation with this name.
    #[inline]
    fn find(
        self,
        caller: Option<&'static Location<'static>>,
        activity: u32,
        name: &'static str,
    ) -> usize {
        let place = caller.map_or(0, |caller| std::ptr::from_ref(caller).addr());
        let key = (place, activity, std::ptr::from_ref(name));
        match self.recorder.found.get() {
            Some((found, index)) if found == key => index,
            _ => {
                let index = self.look_for(key, caller, name);
                self.recorder.found.set(Some((key, index)));
                index
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn look_for(
        self,
        key: Key,
        caller: Option<&'static Location<'static>>,
        name: &'static str,
    ) -> usize {
        let mut keys = self.recorder.keys.borrow_mut();
        if let Some(index) = keys.iter().position(|known| *known == key) {
            return index;
        }
        let index = keys.len();
        if index == LINES - 1 {
            self.table.describe(index, Activity::Elsewhere.code(), None);
            return index;
        }
        keys.push(key);
        if let Some(log) = self.log() {
            log.timeline.name(index, name);
        }
        let (_, activity, _) = key;
        self.table.describe(index, activity, caller);
        index
    }

    /// Notes when the image comes to a collective operation. Returns it.
    #[inline]
    pub(crate) fn come(self) -> u64 {
        let now = self.now();
        let before = self.recorder.called.replace(now);
        self.recorder.called_before.set(before);
        now
    }

    /// Notes that it has [come](Self::come) to this one.
    #[inline]
    pub(crate) fn enter_call(self, call: &Call) {
        // It is not at a line of the program.
        let is_end = Operation::End.is_in(call.signature());
        let place = (!is_end).then(|| call.caller());
        let record = self.find(place, code_of_call(call.signature()), call.behalf());
        if call.is_first_step() {
            let recorder = self.recorder;
            self.note_call(record, recorder.called.get(), recorder.called_before.get());
        }
        if let Some(log) = self.log() {
            self.log_call(log, call, record);
        }
        self.recorder.call.set(record);
        self.recorder.is_in_barrier.set(false);
    }

    /// Notes that the image has begun an asynchronous collective: what it does from now on overlaps.
    pub(crate) fn enter_asynchronous(self) {
        self.recorder.called.set(self.now());
    }

    /// Notes that the image comes to where a record is of, at `now`. It has worked since its last wait, or collective operation.
    #[inline]
    fn note_call(self, record: usize, now: u64, called: u64) {
        let before = self.table.latest.load(Ordering::Relaxed).max(called);
        let worked = now.saturating_sub(before);
        let is_prompt = worked <= self.recorder.clock.moment();
        self.table.record(record).note_call(worked, is_prompt);
    }

    /// Notes in the timeline that the image comes to a step of a collective operation: the operation begins with the first one, or with one before
    /// that.
    #[inline(never)]
    fn log_call(self, log: Log<'_>, call: &Call, record: usize) {
        let recorder = self.recorder;
        let is_first = call.is_first_step();
        let is_before_first = call.is_before_first_step();
        let is_same = recorder.call.get() == record;
        let has_begun = is_same && recorder.is_before_first.get();
        let goes_on = is_same && !is_first && !is_before_first;
        if !has_begun && !goes_on {
            let came = recorder.called.get();
            let entry = log.begin(record, came, 0, None);
            // Unless it waits, it takes no time.
            log.end(entry, came);
            recorder.entry.set(entry);
        }
        recorder.is_before_first.set(is_before_first);
    }

    /// Notes that the image is in a barrier, of the collective operation that it is in.
    #[inline]
    pub(crate) fn enter_barrier(self) {
        self.recorder.is_in_barrier.set(true);
        if let Some(log) = self.log() {
            log.go_on(self.recorder.entry.get());
        }
    }

    /// Notes that the image has left the barrier that all images know by this number, which the others entered at these times.
    #[inline]
    pub(crate) fn leave_barrier(
        self,
        object: impl FnOnce() -> u64,
        others: impl Iterator<Item = u64>,
    ) {
        let recorder = self.recorder;
        let (record, entered) = (recorder.call.get(), recorder.called.get());
        recorder.is_in_barrier.set(false);
        if let Some(late) = lateness(others, entered) {
            let before = recorder.before.get();
            self.table.record(record).note_lateness(late, before);
        }
        let entry = recorder.entry.get();
        if let Some(log) = self.log() {
            log.note_object(entry, object());
        }
        self.note_wait(record, entered, None, entry);
    }

    #[inline]
    fn note_wait(self, record: usize, began: u64, awaited: Option<usize>, entry: Entry) {
        let now = self.now();
        self.table
            .record(record)
            .note_wait(now.saturating_sub(began), awaited);
        self.table.note_in_history(began, now);
        self.table.latest.store(now, Ordering::Relaxed);
        self.recorder.before.set(record);
        if let Some(log) = self.log() {
            log.end(entry, now);
        }
        if now >= self.recorder.rate_due.get() {
            self.note_rate(now);
        }
    }

    #[cold]
    fn note_rate(self, now: u64) {
        let next = self.table.note_rate(now, nanoseconds());
        self.recorder.rate_due.set(next);
    }

    /// Notes that the image begins to wait, for this activity at this line of the program, or else in the collective operation that it is
    /// in; for which image, if it is for one; and for what object, if others know it. None in a barrier.
    pub(crate) fn begin_wait(
        self,
        activity: Option<(Activity, &'static Location<'static>)>,
        awaited: impl FnOnce() -> Option<usize>,
        object: impl FnOnce() -> u64,
    ) -> Option<Wait<'a>> {
        if self.recorder.is_in_barrier.get() {
            return None;
        }
        let awaited = awaited();
        let Some((activity, caller)) = activity else {
            let entry = self.recorder.entry.get();
            if let Some(log) = self.log() {
                log.go_on(entry);
                log.note_partner(entry, awaited);
            }
            return Some(Wait {
                recording: self,
                record: self.recorder.call.get(),
                awaited,
                began: self.now(),
                entry,
            });
        };
        let record = self.find(Some(caller), activity.code(), "");
        Some(self.begin_in(record, awaited, object))
    }

    /// Notes that the image begins to complete what it has issued.
    pub(crate) fn begin_completion(self) -> Wait<'a> {
        let record = self.find(None, Activity::Completion.code(), "");
        self.begin_in(record, None, || 0)
    }

    fn begin_in(
        self,
        record: usize,
        awaited: Option<usize>,
        object: impl FnOnce() -> u64,
    ) -> Wait<'a> {
        let began = self.now();
        self.note_call(record, began, self.recorder.called.get());
        let begin = |log: Log<'_>| log.begin(record, began, object(), awaited);
        Wait {
            recording: self,
            record,
            awaited,
            began,
            entry: self.log().map_or(Entry::NONE, begin),
        }
    }

    /// Notes in the timeline that the image releases what others may wait for, an object that they know by this number.
    pub(crate) fn note_release(self, activity: Activity, object: u64) {
        if let Some(log) = self.log() {
            let (record, now) = (self.find(None, activity.code(), ""), self.now());
            log.end(log.begin(record, now, object, None), now);
        }
    }

    /// Notes in the timeline that a region with this name begins.
    pub(crate) fn begin_region(
        self,
        name: &'static str,
        caller: &'static Location<'static>,
    ) -> Entry {
        self.log().map_or(Entry::NONE, |log| {
            let record = self.find(Some(caller), Activity::Region.code(), name);
            log.begin(record, self.now(), 0, None)
        })
    }

    /// Notes that this region ends.
    pub(crate) fn end_region(self, entry: Entry) {
        if let Some(log) = self.log() {
            log.end(entry, self.now());
        }
    }
}

/// A wait, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Wait<'a> {
    recording: Recording<'a>,
    record: usize,
    awaited: Option<usize>,
    began: u64,
    entry: Entry,
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.recording
            .note_wait(self.record, self.began, self.awaited, self.entry);
    }
}
