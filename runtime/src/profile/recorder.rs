//! What an image notes of its own waits.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::Ordering;

use crate::call::Call;
use crate::call::operation::Operation;
use crate::profile::activity::{Activity, code_of_call};
use crate::profile::arrival_times::lateness;
use crate::profile::clock::{Clock, nanoseconds};
use crate::profile::table::{ImageTable, LINES};

/// What an image keeps of its profile besides the table.
#[derive(Debug)]
pub(crate) struct Recorder {
    clock: Clock,
    /// When the table is to be told next how fast the clock is.
    rate_due: Cell<u64>,
    /// What each record is of: the place in memory of a line's description, and the activity.
    keys: RefCell<Vec<(usize, u32)>>,
    /// The record of the collective operation that the image was in last, and when it came there.
    call: Cell<usize>,
    called: Cell<u64>,
    /// Whether it is in a barrier, whose waits count as one.
    is_in_barrier: Cell<bool>,
    /// The record of its last wait.
    before: Cell<usize>,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Self {
            clock: Clock::new(),
            rate_due: Cell::new(0),
            keys: RefCell::default(),
            call: Cell::new(0),
            called: Cell::new(0),
            is_in_barrier: Cell::new(false),
            before: Cell::new(0),
        }
    }
}

/// A recorder and its table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recording<'a> {
    pub(crate) recorder: &'a Recorder,
    pub(crate) table: &'a ImageTable,
}

impl<'a> Recording<'a> {
    fn now(self) -> u64 {
        self.recorder.clock.now()
    }

    /// Notes that the image begins.
    pub(crate) fn begin(self) {
        self.table.begin(self.now(), nanoseconds());
        let record = self.find(None, Activity::Start.code());
        self.recorder.call.set(record);
    }

    /// The record of an activity, at a line of the program if it is at one.
    fn find(self, caller: Option<&'static Location<'static>>, activity: u32) -> usize {
        let key = (
            caller.map_or(0, |caller| std::ptr::from_ref(caller).addr()),
            activity,
        );
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
        self.table.describe(index, activity, caller);
        index
    }

    /// Notes that the image comes to a collective operation.
    pub(crate) fn enter_call(self, call: &Call) {
        // It is not at a line of the program.
        let is_end = Operation::End.is_in(call.signature());
        let place = (!is_end).then(|| call.caller());
        let record = self.find(place, code_of_call(call.signature()));
        let now = self.now();
        if call.is_first_step() {
            self.note_call(record, now);
        }
        self.recorder.call.set(record);
        self.recorder.is_in_barrier.set(false);
        self.recorder.called.set(now);
    }

    /// Notes that the image has begun an asynchronous collective: what it does from now on overlaps.
    pub(crate) fn enter_asynchronous(self) {
        self.recorder.called.set(self.now());
    }

    /// Notes that the image comes to where a record is of. It has worked since its last wait or collective operation.
    fn note_call(self, record: usize, now: u64) {
        let before = self.table.latest.load(Ordering::Relaxed);
        let worked = now.saturating_sub(before.max(self.recorder.called.get()));
        let is_prompt = worked <= self.recorder.clock.moment();
        self.table.record(record).note_call(worked, is_prompt);
    }

    /// Notes that the image is about to enter a barrier, for the collective operation that it is in. Returns when.
    pub(crate) fn enter_barrier(self) -> u64 {
        self.recorder.is_in_barrier.set(true);
        self.recorder.called.get()
    }

    /// Notes that the image has left the barrier, which the others entered at these times.
    pub(crate) fn leave_barrier(self, others: impl Iterator<Item = u64>) {
        let recorder = self.recorder;
        let (record, entered) = (recorder.call.get(), recorder.called.get());
        recorder.is_in_barrier.set(false);
        if let Some(late) = lateness(others, entered) {
            let before = recorder.before.get();
            self.table.record(record).note_lateness(late, before);
        }
        self.note_wait(record, entered, None);
    }

    fn note_wait(self, record: usize, began: u64, awaited: Option<usize>) {
        let now = self.now();
        self.table
            .record(record)
            .note_wait(now.saturating_sub(began), awaited);
        self.table.note_in_history(began, now);
        self.table.latest.store(now, Ordering::Relaxed);
        self.recorder.before.set(record);
        if now >= self.recorder.rate_due.get() {
            let next = self.table.note_rate(now, nanoseconds());
            self.recorder.rate_due.set(next);
        }
    }

    /// Notes that the image begins to wait, for this activity at this line of the program, or else in the collective operation that it is
    /// in; and for which image, if it is for one. None in a barrier.
    pub(crate) fn begin_wait(
        self,
        activity: Option<(Activity, &'static Location<'static>)>,
        awaited: impl FnOnce() -> Option<usize>,
    ) -> Option<Wait<'a>> {
        if self.recorder.is_in_barrier.get() {
            return None;
        }
        let now = self.now();
        let record = match activity {
            Some((activity, caller)) => {
                let record = self.find(Some(caller), activity.code());
                self.note_call(record, now);
                record
            }
            None => self.recorder.call.get(),
        };
        Some(self.begin_in(record, awaited(), now))
    }

    /// Notes that the image begins to complete what it has issued.
    pub(crate) fn begin_completion(self) -> Wait<'a> {
        let record = self.find(None, Activity::Completion.code());
        let now = self.now();
        self.note_call(record, now);
        self.begin_in(record, None, now)
    }

    fn begin_in(self, record: usize, awaited: Option<usize>, began: u64) -> Wait<'a> {
        Wait {
            recording: self,
            record,
            awaited,
            began,
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
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.recording
            .note_wait(self.record, self.began, self.awaited);
    }
}
