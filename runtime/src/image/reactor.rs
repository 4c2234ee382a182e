//! Waking the tasks of an image that await asynchronous collectives, and seeing that it sleeps when all of them do.
//!
//! Nobody on an image notices that another one has made its contribution. A task that polls its cofuture is told to do so
//! again for a while; after that the *reactor*, a thread of its own, looks for the contribution and wakes the task, so that its
//! executor can park the thread of the image.
//!
//! # When such an image is asleep
//! An executor is not ours. It may have other tasks, which wait for timers, files or threads, and the image then is awake,
//! however often it polls in vain. It is taken for asleep only while its thread is parked and nothing but the job can wake it
//! (`parked.rs`), all the time since the reactor looked last. What was found asleep is then asleep indeed, and goes on only when the
//! reactor finds that what a task awaits has come: the reactor looks for that before it describes the wait anew. A
//! deadlock is reported only if all have described their waits since all were found asleep (`deadlock.rs`), so what had
//! come until then is seen.
//!
//! Executors that never park their thread, or park it with a time limit, are not seen asleep, nor are images of
//! processes with threads of the program, or of other libraries; and no images of several nodes, which look for messages themselves.

use std::collections::BTreeMap;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::deadlock::search::{self, Suspicion};
use crate::job::Job;
use crate::job::control::{Stage, WaitRecord};
use crate::lockfree::eventcount::PARK_TIMEOUT;
use coarray_fabric::system::parked::ThreadId;

/// How long the reactor sleeps at first until it looks for what is awaited.
const MIN_POLL_INTERVAL: Duration = Duration::from_micros(50);

/// How long it sleeps at most.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// How much longer than a look the pause after it is at least, for each thread of the job in the process.
const CHECK_PAUSE: u32 = 5;

/// Most operations that a report names.
const NAMES: usize = 4;

/// The reactor of one image.
#[derive(Debug)]
pub(crate) struct Reactor(Arc<Shared>);

/// An asynchronous collective: the team, and the number there.
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
    /// How often the thread had gone to sleep when the reactor looked last, if it slept.
    sleeps: Option<u64>,
    /// When it is to look again.
    next_check: Option<Instant>,
    /// Its next sleep.
    poll_interval: Duration,
    /// Whether the image is shown as asleep.
    is_asleep: bool,
    is_over: bool,
}

/// What a task waits for.
#[derive(Debug)]
pub(crate) struct Awaited {
    /// Where the eventcount is, and how far it must rise.
    pub(crate) place: u64,
    pub(crate) target: u64,
    pub(crate) image: usize,
    /// The collective in words.
    pub(crate) description: String,
    pub(crate) waker: Waker,
}

impl Reactor {
    /// That of the image of the calling thread; none if there can be no more threads.
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

    /// Has a waker woken when there is a reason to look again at what it waits for.
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

    /// Forgets what a task awaited.
    pub(crate) fn forget(&self, key: Key) {
        // The waker is the program's: it is not dropped while the state is locked.
        let _forgotten = self.0.lock().awaited.remove(&key);
    }

    /// Notes that the image is awake, before it says otherwise itself.
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
                        // A waker that panics is the program's affair, and the others are woken all the same.
                        let _ = panic::catch_unwind(AssertUnwindSafe(|| waker.wake()));
                    }
                    self.lock()
                }
            };
        }
        drop(state);
        self.job.threads.leave();
    }

    /// Sleeps until it is time to look again.
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
        // What was awaited may have been forgotten meanwhile.
        if state.next_check.is_none_or(|next| next <= now) && !state.awaited.is_empty() {
            let threads = self.check_sleep(&mut state, suspicion);
            // Together, the reactors of a process with many images are to leave most of its time to others.
            let pause = now.elapsed() * (CHECK_PAUSE * threads as u32);
            state.next_check = Some(Instant::now() + pause.max(PARK_TIMEOUT));
        }
        state
    }

    /// Shows whether the image is asleep, and for what; ends the job if no image can go on. Returns how many threads the job has
    /// in this process.
    fn check_sleep(&self, state: &mut State, suspicion: &Suspicion) -> usize {
        // Another reactor that looks may hold what the image waits for, such as a lock of the allocator.
        let threads = self.job.threads.look();
        let sleeps = threads.sleeps_of(self.thread);
        let sleeps_on = sleeps.is_some() && sleeps == state.sleeps;
        if !sleeps_on {
            state.unpark(self.record());
            state.sleeps = sleeps;
            return threads.threads();
        }
        if !mem::replace(&mut state.is_asleep, true) {
            self.record().prepare_park(None, (0, 0));
        }
        let awaited = state.awaited.values();
        let (words, image) = describe_any(awaited.map(|it| (it.image, it.description.clone())));
        self.record().describe(image, &format!("awaits {words}"));
        if suspicion.sees_standstill(&self.job, self.index) {
            self.job.fail(&search::report(&self.job, self.index));
        }
        threads.threads()
    }

    /// Takes out the wakers of those who have a reason to look again.
    fn take_due(&self, state: &mut State) -> Vec<Waker> {
        let failure_epoch = self.job.region.job().failure_epoch();
        let has_ended = self.job.has_ended();
        let is_due = |awaited: &Awaited| {
            let stage = self.job.region.control(awaited.image).stage();
            has_ended
                || matches!(stage, Stage::Stopped | Stage::Finished | Stage::Failed)
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
        // What others need to know of this look; of other sleeps the image says it itself.
        if state.is_asleep {
            self.record().sleep.note_failure_epoch(failure_epoch);
        }
        due.into_iter()
            .filter_map(|key| state.awaited.remove(&key))
            .map(|awaited| awaited.waker)
            .collect()
    }
}

/// "co_sum_async at .. or co_max_async at ..", and the image that owes the first of these; if others owe others, each is named.
pub(crate) fn describe_any(all: impl Iterator<Item = (usize, String)>) -> (String, Option<usize>) {
    let all: Vec<(usize, String)> = all.collect();
    let first = all.first().map(|&(image, _)| image);
    let owe_all = all.iter().all(|&(image, _)| Some(image) == first);
    let name = |(image, words): &(usize, String)| match owe_all {
        true => words.clone(),
        false => format!("{words} (image {image})"),
    };
    let mut names: Vec<String> = all.iter().take(NAMES).map(name).collect();
    if let Some(more @ 1..) = all.len().checked_sub(NAMES) {
        names.push(format!("any of {more} more"));
    }
    (names.join(" or "), first)
}
