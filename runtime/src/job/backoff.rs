//! How an image waits: how long it spins, how often it yields its core, and when it sleeps instead.
//!
//! Spinning is the fastest if the awaited image has a core of its own; yielding is, if images share cores that no other
//! program wants. Beside other programs both go wrong. A core that is yielded goes to a program that computes, for a
//! time slice: milliseconds. But a sleeper is scheduled soon after it is woken, because it has used less than its
//! share. So an image measures its waits:
//!
//! * *A yield that took long* went to a program that computes. For some time all images of the node sleep at once
//!   instead (`contention.rs`). Then they try again, less often each time that one finds the same.
//! * *Spinning in vain, again and again, on a core that other programs use too*: most likely the awaited image waits
//!   for that very core. The image spins briefly, and tries again now and then.
//!
//! In both cases it also asks the scheduler for shorter slices (`scheduler.rs`), to run soon after it is woken. Where
//! images outnumber cores, it does so at its start.
//!
//! Short waits cost nothing of this: an image reads a clock when it has spun in vain, and a cheaper one when it yields.
//! To spin as long as sleeping takes, and to learn from earlier waits, is due to Karlin, Li, Manasse and Owicki,
//! *Empirical studies of competitive spinning for a shared-memory multiprocessor* (SOSP 1991).

use std::cell::{Cell, RefCell};
use std::time::Duration;

use crate::job::Job;
use crate::job::contention::Contention;
use crate::job::settings::Wait;
use crate::lockfree::eventcount::SpinPolicy;
use crate::primitives::yield_now;
use coarray_fabric::system::scheduler;

/// How one image waits.
#[derive(Debug)]
pub(crate) struct Backoff {
    wait: Wait,
    /// Whether images outnumber cores.
    shares_cores: bool,
    /// Whether it polls for messages between two yields, which may take long too.
    polls: bool,
    /// How often it polls before it yields: on a network that is what spinning is in shared memory.
    spinning_polls: u32,
    /// How often it has done so in this wait.
    polled: Cell<u32>,
    patience: Cell<SpinPolicy>,
    /// Rounds of spinning after a wait has begun to be recorded, in profiled jobs; before, there are none then.
    recorded_spins: Option<Cell<u32>>,
    /// The time between two ticks of the system's clock.
    tick: Duration,
    stretch: Cell<Stretch>,
    policy: RefCell<Policy>,
}

/// A series of yields.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    since: Duration,
    /// A cheap clock, which advances whenever the scheduler can take the core from a program that computes.
    tick: Duration,
    yields: u32,
}

impl Stretch {
    fn begin(since: Duration) -> Self {
        Self {
            since,
            tick: scheduler::tick(),
            yields: 0,
        }
    }
}

/// This many short yields together take less time than a long one.
const STRETCH: u32 = 32;

impl Backoff {
    /// For an image of this job.
    pub(crate) fn new(job: &Job) -> Self {
        let mut patience = job.patience;
        let spins = &mut patience.spins;
        let recorded_spins = job.is_profiled.then(|| Cell::new(std::mem::take(spins)));
        Self {
            wait: job.wait,
            shares_cores: !job.region.dimensions().have_cores_for_all,
            polls: !job.nodes.share_all(),
            spinning_polls: spinning_polls(job),
            polled: Cell::new(0),
            patience: Cell::new(patience),
            recorded_spins,
            tick: scheduler::time_of_a_tick(),
            stretch: Cell::default(),
            policy: RefCell::new(Policy::new(job.patience.spins)),
        }
    }

    /// Prepares the thread of the image.
    pub(crate) fn begin(&self) {
        let will_share = match self.wait {
            Wait::Adaptive => self.shares_cores,
            Wait::Spin => false,
            Wait::Sleep => true,
        };
        if will_share {
            scheduler::shorten_slice();
        }
    }

    /// How to spin and yield in the next wait.
    #[inline]
    pub(crate) fn patience(&self) -> SpinPolicy {
        self.patience.get()
    }

    /// How to spin in a wait that is recorded, in which the image has not spun yet.
    #[inline]
    pub(crate) fn recorded_spins(&self) -> u32 {
        self.recorded_spins.as_ref().map_or(0, Cell::get)
    }

    /// Called after spinning in vain, if the image was to spin. Returns how often it may yield before it sleeps.
    pub(crate) fn yields(&self, contention: &Contention) -> u32 {
        let mut patience = self.patience.get();
        let steps = self.spinning_polls + patience.yields;
        self.polled.set(0);
        // An image that polls before it yields reads the clock then.
        let is_soon_enough = self.spinning_polls > 0 && contention.was_never_here();
        if self.wait != Wait::Adaptive || is_soon_enough {
            return steps;
        }
        let now = scheduler::now();
        let is_crowded = contention.is_here(now);
        let mut policy = self.policy.borrow_mut();
        if policy.minds_spinning() {
            if policy.spun(now, is_crowded, scheduler::switches) {
                scheduler::shorten_slice();
            }
            match &self.recorded_spins {
                Some(spins) => spins.set(policy.spins()),
                None => patience.spins = policy.spins(),
            }
            self.patience.set(patience);
        }
        if is_crowded {
            return 0;
        }
        self.stretch.set(Stretch::begin(now));
        steps
    }

    /// Called when a message has arrived: others may follow soon.
    pub(crate) fn note_progress(&self) {
        self.polled.set(0);
    }

    /// Yields the core, in a wait that has called [`yields`](Self::yields). Returns whether to yield again.
    pub(crate) fn yield_core(&self, job: &Job) -> bool {
        let contention = &job.region.job().contention;
        if self.polls {
            let polled = self.polled.get();
            if polled < self.spinning_polls {
                self.polled.set(polled + 1);
                return true;
            }
            self.stretch.set(Stretch::begin(scheduler::now()));
        }
        yield_now();
        if self.wait != Wait::Adaptive {
            return true;
        }
        let mut stretch = self.stretch.get();
        stretch.yields += 1;
        if stretch.yields < STRETCH && stretch.tick == scheduler::tick() {
            self.stretch.set(stretch);
            return true;
        }
        let now = scheduler::now();
        self.stretch.set(Stretch::begin(now));
        contention.offered(stretch.since, now, self.tick, || job.usage());
        if contention.is_here(now) {
            scheduler::shorten_slice();
            return false;
        }
        true
    }
}

/// How often an image polls before it yields: some tens of microseconds, as long as images that share memory spin.
fn spinning_polls(job: &Job) -> u32 {
    match job.wait {
        _ if job.nodes.share_all() || !job.region.dimensions().have_cores_for_all => 0,
        Wait::Sleep => 0,
        Wait::Adaptive => 300,
        Wait::Spin => 30_000,
    }
}

/// What an image has learnt from its waits.
#[derive(Debug)]
struct Policy {
    /// Rounds of spinning, if no other program wants the core.
    most: u32,
    spinning: Spinning,
}

/// Rounds of spinning of an image that hardly spins: the awaited image most likely waits for this core, and a switch to
/// it takes about as long as a hundred rounds.
const MOMENT: u32 = 2;

/// After this many vain spins in quick succession the image spins less.
const VAIN: u32 = 3;

/// The shortest time between two vain spins that count.
const SHORTEST: Duration = Duration::from_micros(20);

/// Vain spins further apart are unrelated.
const SOON: Duration = Duration::from_millis(2);

/// After this many short waits a long one is tried again: at first, and at most. A long one takes as long as some tens
/// of short ones.
const RETRIES: [u32; 2] = [64, 4096];

#[derive(Debug)]
enum Spinning {
    /// It spins in full. The last wait that spinning did not end, and how often the core had been taken until then.
    Long {
        vain: u32,
        last: Option<(Duration, u64)>,
        /// How many short waits came before this.
        after: u32,
    },
    /// It spins briefly, for this many more waits.
    Short { left: u32, of: u32 },
}

impl Policy {
    fn new(most: u32) -> Self {
        Self {
            most,
            spinning: Spinning::Long {
                vain: 0,
                last: None,
                after: 0,
            },
        }
    }

    fn spins(&self) -> u32 {
        match self.spinning {
            Spinning::Long { .. } => self.most,
            Spinning::Short { .. } => MOMENT.min(self.most),
        }
    }

    /// Whether it spins long enough to matter.
    fn minds_spinning(&self) -> bool {
        self.most > MOMENT
    }

    /// Records a vain spin; `switches` counts how often the core was taken so far. Returns whether to spin less from
    /// now on.
    fn spun(&mut self, now: Duration, is_crowded: bool, switches: impl FnOnce() -> u64) -> bool {
        match &mut self.spinning {
            Spinning::Short { left, of } => {
                *left -= 1;
                if *left == 0 {
                    self.spinning = Spinning::Long {
                        vain: 0,
                        last: Some((now, switches())),
                        after: *of,
                    };
                }
                false
            }
            Spinning::Long { vain, last, after } => {
                let since = last.map(|(then, _)| now.saturating_sub(then));
                if since.is_some_and(|since| since < SHORTEST) {
                    // Part of the same wait, or of the next one, which did not spin.
                    return false;
                }
                let switches = switches();
                // An image that sleeps instead of yielding does not lose its core to another program.
                let is_shared = is_crowded || last.is_some_and(|(_, before)| switches > before);
                match since {
                    Some(since) if since < SOON && is_shared => *vain += 1,
                    Some(since) if since < SOON => *vain = 0,
                    Some(_) => (*vain, *after) = (0, 0),
                    None => {}
                }
                *last = Some((now, switches));
                let enough = if *after > 0 { 1 } else { VAIN };
                if *vain < enough {
                    return false;
                }
                let [first, most] = RETRIES;
                let waits = (*after * 2).clamp(first, most);
                self.spinning = Spinning::Short {
                    left: waits,
                    of: waits,
                };
                true
            }
        }
    }
}

#[cfg(test)]
#[path = "backoff/tests.rs"]
mod tests;
