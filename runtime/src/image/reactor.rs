//! The reactor wakes the tasks of an image that await asynchronous collectives and posts of events, and records that the image sleeps when
//! all of them wait.
//!
//! No event reaches an image when another one makes its contribution. A task that polls its cofuture polls again at
//! once for a while; after that the *reactor*, a thread of its own, looks for the contribution and wakes the task, so
//! that its executor can park the thread of the image.
//!
//! # When such an image is asleep
//! The executor is the program's. It may have other tasks, which wait for timers, files or threads; then the image is
//! awake, however often it polls in vain. The image counts as asleep only while its thread is parked and nothing but
//! the job can wake it (`parked.rs`), for the whole time since the reactor's last check. An image found asleep is then
//! really asleep, and goes on only when the reactor finds an awaited contribution: it looks for these before it records
//! the wait again. A deadlock is reported only if all images have recorded their waits since all were found asleep
//! (`deadlock.rs`), so contributions that arrived before that are seen.
//!
//! These do not count as asleep: executors that never park their thread, or park it with a time limit; images in
//! processes with threads of the program, or of other libraries; and images on several nodes, which poll for messages
//! themselves.

use std::collections::BTreeMap;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::deadlock::search::{self, Suspicion};
use crate::job::Job;
use crate::job::control::{ONE_FAILED, Stage, WaitRecord};
use crate::lockfree::eventcount::PARK_TIMEOUT;
use crate::lockfree::sleep;
use coarray_fabric::system::parked::ThreadId;

/// The first sleep of the reactor between two checks.
const MIN_POLL_INTERVAL: Duration = Duration::from_micros(50);

/// The longest sleep between two checks.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The pause after a check is at least this many times as long as the check, for each thread of the job in the process.
const CHECK_PAUSE: u32 = 5;

/// The most operations that a report names.
const NAMES: usize = 4;

/// The reactor of one image.
#[derive(Debug)]
pub(crate) struct Reactor(Arc<Shared>);

/// Identifies an asynchronous collective, by the team and the number in it, or what waits for posts.
pub(crate) type Key = (u64, u64);

#[derive(Debug)]
struct Shared {
    job: Arc<Job>,
    /// The image.
    index: usize,
    /// Its thread.
    thread: ThreadId,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    awaited: BTreeMap<Key, Awaited>,
    /// How often the thread had gone to sleep at the last check, if it slept.
    sleeps: Option<u64>,
    /// The time of the next check.
    next_check: Option<Instant>,
    /// The sleep until then.
    poll_interval: Duration,
    /// Whether the image is recorded as asleep.
    is_asleep: bool,
    is_over: bool,
}

/// A contribution that a task awaits.
#[derive(Debug)]
pub(crate) struct Awaited {
    /// The place of the eventcount, and its target.
    pub(crate) place: u64,
    pub(crate) target: u64,
    /// The image that owes it; none for posts, which any may owe.
    pub(crate) image: Option<usize>,
    /// The operation, as text.
    pub(crate) description: String,
    pub(crate) waker: Waker,
}

impl Reactor {
    /// The reactor of the image of the calling thread; none if no thread can be started.
    pub(crate) fn start(job: &Arc<Job>, index: usize) -> Option<Self> {
        let shared = Arc::new(Shared {
            job: Arc::clone(job),
            index,
            thread: ThreadId::current(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let runner = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name(format!("reactor {index}"));
        thread.spawn(move || runner.run()).ok()?;
        Some(Self(shared))
    }

    /// Registers a waker, to be woken when its contribution may have arrived.
    pub(crate) fn register(&self, key: Key, awaited: Awaited) {
        let Self(shared) = self;
        let mut state = shared.lock();
        state.unpark(shared.record());
        let was_idle = state.awaited.is_empty();
        let is_same =
            |known: &&mut Awaited| (known.image, known.target) == (awaited.image, awaited.target);
        let _old = match state.awaited.get_mut(&key).filter(is_same) {
            Some(known) => Some(mem::replace(&mut known.waker, awaited.waker)),
            None => {
                state.poll_interval = MIN_POLL_INTERVAL;
                let old = state.awaited.insert(key, awaited);
                old.map(|old| old.waker)
            }
        };
        // The old waker is the program's: it is not dropped while the state is locked.
        drop(state);
        if was_idle {
            shared.changed.notify_one();
        }
    }

    /// Forgets what a task awaits.
    pub(crate) fn forget(&self, key: Key) {
        // The waker is the program's: it is not dropped while the state is locked.
        let _forgotten = self.0.lock().awaited.remove(&key);
    }

    /// Records that the image is awake, before it does so itself.
    pub(crate) fn unpark(&self) {
        self.0.lock().unpark(self.0.record());
    }

    /// Ends the thread.
    pub(crate) fn end(&self) {
        let Self(shared) = self;
        let mut state = shared.lock();
        state.unpark(shared.record());
        state.is_over = true;
        let _forgotten = mem::take(&mut state.awaited);
        drop(state);
        shared.changed.notify_all();
    }
}

impl State {
    fn unpark(&mut self, record: &WaitRecord) {
        self.sleeps = None;
        if mem::take(&mut self.is_asleep) {
            record.sleep.unpark();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self) -> &WaitRecord {
        &self.job.region.control(self.index).waiting
    }

    fn run(&self) {
        self.job.threads.enter();
        let suspicion = Suspicion::default();
        let mut state = self.lock();
        while !state.is_over {
            state = match self.take_due(&mut state) {
                due if due.is_empty() => self.pause(state, &suspicion),
                due => {
                    state.unpark(self.record());
                    drop(state);
                    for waker in due {
                        // A panic of a waker is the program's; the other wakers run nevertheless.
                        let _ = panic::catch_unwind(AssertUnwindSafe(|| waker.wake()));
                    }
                    self.lock()
                }
            };
        }
        drop(state);
        self.job.threads.leave();
    }

    /// Sleeps until the next check.
    fn pause<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        suspicion: &Suspicion,
    ) -> MutexGuard<'a, State> {
        if state.awaited.is_empty() {
            state.unpark(self.record());
            let wait = self.changed.wait(state);
            return wait.unwrap_or_else(PoisonError::into_inner);
        }
        let poll_interval = state.poll_interval;
        state.poll_interval = (2 * poll_interval).min(MAX_POLL_INTERVAL);
        let wait = self.changed.wait_timeout(state, poll_interval);
        let (mut state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        // The awaited contribution may have been forgotten meanwhile.
        if state.next_check.is_none_or(|next| next <= now) && !state.awaited.is_empty() {
            let threads = self.check_sleep(&mut state, suspicion);
            // Together, the reactors of a process with many images leave most of its time to others.
            let pause = now.elapsed() * (CHECK_PAUSE * threads as u32);
            state.next_check = Some(Instant::now() + pause.max(PARK_TIMEOUT));
        }
        state
    }

    /// Records whether the image is asleep, and for what; ends the job if no image can go on. Returns how many threads
    /// the job has in this process.
    fn check_sleep(&self, state: &mut State, suspicion: &Suspicion) -> usize {
        // Another reactor that checks may hold what the image waits for, such as a lock of the allocator.
        let threads = self.job.threads.look();
        let sleeps = threads.sleeps_of(self.thread);
        let sleeps_on = sleeps.is_some() && sleeps == state.sleeps;
        if !sleeps_on {
            state.unpark(self.record());
            state.sleeps = sleeps;
            return threads.threads();
        }
        if !mem::replace(&mut state.is_asleep, true) {
            self.record().prepare_park(sleep::Awaited::PRIVATE, (0, 0));
        }
        let awaited = state.awaited.values();
        let (words, image) = describe_any(awaited.map(|it| (it.image, it.description.clone())));
        self.record().describe(image, &format!("awaits {words}"));
        if suspicion.sees_standstill(&self.job, self.index) {
            self.job.fail(&search::report(&self.job, self.index));
        }
        threads.threads()
    }

    /// Removes the wakers whose contributions may have arrived.
    fn take_due(&self, state: &mut State) -> Vec<Waker> {
        let failure_epoch = self.job.region.job().failure_epoch();
        let has_ended = self.job.has_ended();
        let region = &self.job.region;
        let has_failed = || {
            let mut images = 0..region.dimensions().images;
            images.any(|image| region.control(image).stage() == Stage::Failed)
        };
        let is_due = |awaited: &Awaited| {
            let is_owed_in_vain = match awaited.image {
                Some(image) => {
                    let stage = self.job.region.control(image).stage();
                    matches!(stage, Stage::Stopped | Stage::Finished | Stage::Failed)
                }
                None => failure_epoch >= ONE_FAILED && has_failed(),
            };
            has_ended
                || is_owed_in_vain
                || self
                    .job
                    .region
                    .count_at(awaited.place as usize)
                    .is_none_or(|count| count >= awaited.target)
        };
        let due: Vec<Key> = state
            .awaited
            .iter()
            .filter(|(_, awaited)| is_due(awaited))
            .map(|(&key, _)| key)
            .collect();
        // The state that others need after this check; the image itself records its other sleeps.
        if state.is_asleep {
            self.record().sleep.note_failure_epoch(failure_epoch);
        }
        due.into_iter()
            .filter_map(|key| state.awaited.remove(&key))
            .map(|awaited| awaited.waker)
            .collect()
    }
}

/// "co_sum_async at .. or co_max_async at ..", and the image that owes the first of these; if others owe the others,
/// each is named.
pub(crate) fn describe_any(
    all: impl Iterator<Item = (Option<usize>, String)>,
) -> (String, Option<usize>) {
    let all: Vec<(Option<usize>, String)> = all.collect();
    let first = all.first().and_then(|&(image, _)| image);
    let owe_all = all.iter().all(|&(image, _)| image == first);
    let name = |(image, words): &(Option<usize>, String)| match image {
        _ if owe_all => words.clone(),
        Some(image) => format!("{words} (image {image})"),
        None => format!("{words} (any image)"),
    };
    let mut names: Vec<String> = all.iter().take(NAMES).map(name).collect();
    if let Some(more @ 1..) = all.len().checked_sub(NAMES) {
        names.push(format!("any of {more} more"));
    }
    (names.join(" or "), first)
}
