//! Waiting: what an image records about a long wait, for the deadlock search.
//!
//! [`WaitRecord`] is in shared memory. An image that goes to sleep records the eventcount and the count that it waits
//! for (`sleep.rs`); after a while it also records the cause as text. The deadlock search reads the records of all
//! images.

pub(crate) mod between_nodes;
pub(crate) mod changed;
pub(crate) mod signalled;
pub(crate) mod suspicion;

use std::cell::Cell;
use std::panic::Location;
use std::time::{Duration, Instant};

use crate::deadlock::search::Suspicion;
use crate::image::Image;
use crate::image::network::{MAX_POLL_INTERVAL, MIN_POLL_INTERVAL};
use crate::job::control::{ENDED, WaitRecord};
use crate::lockfree::eventcount::{self, Eventcount, PARK_TIMEOUT, SpinPolicy, WaitStrategy};
use crate::lockfree::sleep::Awaited;
use crate::messages::liveness::check_peers;
use crate::messages::liveness::is_time_to_check_peers;
use crate::messages::messaging::{poll_one, publish_traffic};
use crate::profile::activity::Activity;
use crate::profile::recorder;
use coarray_fabric::system::controlled;
use coarray_fabric::transport::pending::{Pending, has_outstanding, is_pending};

/// Why an image stops waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The job has ended.
    Ended,
    /// An image has failed, and the failure matters to this wait.
    Failed,
    /// The deadline has passed.
    TimedOut,
}

/// Why an image gave up a wait in a job that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// An image has failed, and the failure matters to the wait.
    Failed,
    /// The deadline has passed.
    TimedOut,
}

/// The cause of a wait.
pub trait Cause {
    /// Where and for what the image waits, as the end of a sentence about it. Called only if the wait takes long.
    fn describe(&self) -> String;

    /// The number of the image that is waited for, if it is one.
    fn awaited(&self) -> Option<usize>;

    /// Whether a failure has made the wait pointless. Called whenever images have failed.
    fn has_failed(&self) -> bool;

    /// The team and the number of a barrier.
    fn barrier(&self) -> Option<(u64, u64)> {
        None
    }

    /// What the image does, and at which line of the program, for profiles; `None` in a collective operation, which the image has
    /// recorded.
    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        None
    }

    /// The address of the event or the lock that it waits for, for timelines.
    fn object(&self) -> Option<usize> {
        None
    }

    /// The deadline, if any; a wait with one is never part of a deadlock.
    fn deadline(&self) -> Option<Instant> {
        None
    }
}

impl Image {
    /// Waits until `eventcount` has reached `target`. Then everything written before it was advanced so far is visible.
    /// If the job ends meanwhile, the image unwinds.
    ///
    /// # Errors
    /// Why the wait was given up, as `cause` says.
    #[inline]
    pub fn wait(
        &self,
        eventcount: &Eventcount,
        target: u64,
        cause: impl Cause,
    ) -> Result<(), Interruption> {
        match eventcount::until(eventcount, target, self.backoff.patience(), || {
            Waiting::new(self, cause)
        }) {
            Ok(()) => Ok(()),
            // The failed image may have advanced the eventcount between the last check and its failure.
            Err(Stop::Failed) if eventcount.has_reached(target) => Ok(()),
            Err(Stop::Failed) => Err(Interruption::Failed),
            Err(Stop::TimedOut) => Err(Interruption::TimedOut),
            Err(Stop::Ended) => self.unwind(),
        }
    }

    /// What this image stores at this address of its own heap, for reports.
    #[must_use]
    pub fn describe_place(&self, address: usize) -> String {
        let heap = self.heap(self.index).addr();
        let place = address.checked_sub(heap).and_then(|offset| {
            let heap = self.heap.borrow();
            heap.describe_place(offset)
        });
        place.unwrap_or_else(|| "memory that is no coarray".into())
    }
}

/// An image that waits.
pub(crate) struct Waiting<'a, C> {
    image: &'a Image,
    cause: C,
    deadline: Option<Instant>,
    suspicion: Suspicion,
    failure_epoch: Cell<u32>,
    /// The next sleep of an image that must poll for messages.
    poll_interval: Cell<Duration>,
    /// When it first checked for lost peers.
    checked_since: Cell<Option<Instant>>,
    /// Whether the image sleeps between two checks.
    is_parked: Cell<bool>,
    /// When the image parked, or renewed its sleep.
    parked_since: Cell<Option<Instant>>,
    /// What it sleeps for, if that is to be recorded.
    awaited: Cell<Option<Awaited>>,
    /// Whether it is recorded that the image sleeps.
    is_recorded: Cell<bool>,
    /// Notes how long it waits, when dropped.
    profiled: Option<recorder::Wait<'a>>,
}

impl<'a, C: Cause> Waiting<'a, C> {
    pub(crate) fn new(image: &'a Image, cause: C) -> Self {
        let profiled = image.recording().and_then(|recording| {
            let number = |address| image.number_of_object(address);
            let object = || cause.object().map_or(0, number);
            recording.begin_wait(cause.activity(), || cause.awaited(), object)
        });
        Self {
            image,
            profiled,
            deadline: cause.deadline(),
            cause,
            suspicion: Suspicion::default(),
            failure_epoch: Cell::new(0),
            checked_since: Cell::new(None),
            poll_interval: Cell::new(MIN_POLL_INTERVAL),
            is_parked: Cell::new(false),
            parked_since: Cell::new(None),
            awaited: Cell::new(None),
            is_recorded: Cell::new(false),
        }
    }

    /// Called before sleeping: until [`unpark`](WaitStrategy::unpark) the image only waits for this. For none it counts as awake.
    pub(crate) fn prepare_park_until(&self, awaited: Option<Awaited>) {
        self.is_parked.set(true);
        if !self.is_endless() {
            return;
        }
        self.parked_since.set(Some(controlled::now()));
        if let Some(reactor) = self.image.started_reactor() {
            reactor.unpark();
        }
        self.awaited.set(awaited);
        self.record_sleep();
    }

    /// Records that the image sleeps, if it is to be, and if all that may wake anybody is complete: then only others can.
    fn record_sleep(&self) {
        if !self.is_recorded.get()
            && !self.may_wake_others()
            && let Some(awaited) = self.awaited.get()
        {
            let barrier = self.cause.barrier().unwrap_or_default();
            self.record().prepare_park(awaited, barrier);
            self.is_recorded.set(true);
        }
    }

    /// Whether signals of this image, or between nodes anything else that it has issued, may still end waits.
    fn may_wake_others(&self) -> bool {
        is_pending(Pending::Signals) || self.image.spans_nodes() && has_outstanding()
    }

    /// Whether threads of this process that are no images may end waits: they may change coatomics, where they are not refused.
    fn has_other_threads(&self) -> bool {
        !self.image.spans_nodes()
            && self.image.job.region.job().has_parking()
            && !self.image.job.threads.look().are_all()
    }

    fn record(&self) -> &WaitRecord {
        &self.image.control(self.image.index).waiting
    }

    /// The longest sleep before the next poll: short at first, because messages usually arrive soon.
    fn poll_timeout(&self) -> Duration {
        if self.image.network.is_none() {
            return PARK_TIMEOUT;
        }
        let poll_interval = self.poll_interval.get();
        self.poll_interval
            .set((poll_interval * 2).min(MAX_POLL_INTERVAL));
        poll_interval
    }

    /// Whether only another image can end the wait.
    fn is_endless(&self) -> bool {
        self.deadline.is_none()
    }
}

impl<C: Cause> WaitStrategy for Waiting<'_, C> {
    type Stop = Stop;

    fn spins(&self) -> u32 {
        // Before a wait that is not recorded the image has spun.
        match self.profiled {
            Some(_) => self.image.backoff.recorded_spins(),
            None => 0,
        }
    }

    fn check(&self) -> Result<(), Stop> {
        // Somebody may wait for these. An image that sleeps has told others all that it is going to.
        self.image.give_notices(|_| true);
        publish_traffic(self.image);
        if self.is_parked.get() {
            self.image.poll();
        } else if poll_one(self.image) {
            self.image.backoff.note_progress();
        }
        if is_time_to_check_peers(self.image) {
            check_peers(self.image, &self.checked_since, self.cause.awaited());
        }
        let failure_epoch = self.image.job.region.job().failure_epoch();
        if failure_epoch & ENDED != 0 {
            return Err(Stop::Ended);
        }
        if failure_epoch != self.failure_epoch.replace(failure_epoch) && self.cause.has_failed() {
            return Err(Stop::Failed);
        }
        let is_over = |deadline| controlled::now() >= deadline;
        if self.deadline.is_some_and(is_over) {
            return Err(Stop::TimedOut);
        }
        // Signals may interrupt every sleep, so no sleep may last its whole time.
        match self.parked_since.get() {
            Some(since) if controlled::now() - since >= PARK_TIMEOUT => self.on_timeout(),
            _ => Ok(()),
        }
    }

    fn yields(&self, _patience: SpinPolicy) -> u32 {
        self.image.yields()
    }

    fn yield_core(&self) -> bool {
        self.image.yield_core()
    }

    fn park_timeout(&self) -> Duration {
        // The state that others need after the last check.
        self.record()
            .sleep
            .note_failure_epoch(self.failure_epoch.get());
        match self.deadline {
            Some(deadline) => deadline
                .saturating_duration_since(controlled::now())
                .min(PARK_TIMEOUT),
            None => PARK_TIMEOUT,
        }
        .min(self.poll_timeout())
    }

    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        let place = self.image.job.region.offset_of(eventcount);
        self.prepare_park_until(Some(Awaited::count(place, target)));
    }

    fn on_timeout(&self) -> Result<(), Stop> {
        if !self.is_endless() {
            return Ok(());
        }
        self.parked_since.set(Some(controlled::now()));
        // Not before: on some networks it waits for the target, which may compute.
        if is_pending(Pending::Signals) {
            self.image.fabric().quiet_signals();
        }
        if self.may_wake_others() {
            self.image.fabric().quiet();
        }
        // Before the wait is recorded again: a thread that is there then may have been there since the last time.
        match self.has_other_threads() {
            true => self.unpark(),
            false => self.record_sleep(),
        }
        let words = self.cause.describe();
        self.record().describe(self.cause.awaited(), &words);
        if self.suspicion.end_if_deadlocked(self.image) {
            return Err(Stop::Ended);
        }
        Ok(())
    }

    fn unpark(&self) {
        if self.is_recorded.take() {
            self.record().sleep.unpark();
        }
    }
}
