//! How an image waits: how long it spins, how often it offers its core, and when it rather sleeps.
//!
//! Spinning is the fastest where the awaited image has a core of its own, offering the core where images share cores and
//! nobody else wants them. Beside other programs both go wrong. A core that is offered goes to a program that computes,
//! for a time slice: milliseconds. A sleeper, though, is scheduled soon when it is woken, as it has used less than its
//! share. So an image watches what becomes of its waits:
//!
//! * *An offer that took long* went to somebody who computes. For some time all images of the node sleep at once instead
//!   (`contention.rs`); then they try again, less often each time that one finds the same.
//! * *Spinning in vain, again and again, on a core that others use too*: most likely the awaited image waits for that
//!   very core. The image spins but a moment, and tries again now and then.
//!
//! Either way it also asks the scheduler for shorter slices (`scheduler.rs`), to run soon after it is woken; where images
//! outnumber cores, it has done so at its beginning.
//!
//! Nothing of this costs anything while waits are short: an image looks at a clock when it has spun in vain, and at a cheaper
//! one when it offers its core. Spinning as long as sleeping takes is Karlin, Li, Manasse and Owicki, *Empirical studies
//! of competitive spinning for a shared-memory multiprocessor* (SOSP 1991); to learn from earlier waits is
//! also theirs.

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
    /// Whether it looks for messages between two offers, which may take long, too.
    polls: bool,
    patience: Cell<SpinPolicy>,
    stretch: Cell<Stretch>,
    policy: RefCell<Policy>,
}

/// Some offers of the core, one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    since: Duration,
    /// A cheap clock, which goes on whenever somebody who computes can lose the core.
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

/// So many short offers together are shorter than a long one.
const STRETCH: u32 = 32;

impl Backoff {
    /// For an image of this job.
    pub(crate) fn new(job: &Job) -> Self {
        Self {
            wait: job.wait,
            shares_cores: !job.region.dimensions().have_cores_for_all(),
            polls: !job.nodes.share_all(),
            patience: Cell::new(job.patience),
            stretch: Cell::default(),
            policy: RefCell::new(Policy::new(job.patience.spins)),
        }
    }

    /// Prepares the thread that the image is.
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

    /// What to do in the next wait.
    #[inline]
    pub(crate) fn patience(&self) -> SpinPolicy {
        self.patience.get()
    }

    /// The image has spun in vain, if it was to spin. Returns how often it may offer its core before it sleeps.
    pub(crate) fn yields(&self, contention: &Contention) -> u32 {
        let mut patience = self.patience.get();
        if self.wait != Wait::Adaptive {
            return patience.yields;
        }
        let now = scheduler::now();
        let is_crowded = contention.is_here(now);
        let mut policy = self.policy.borrow_mut();
        if policy.minds_spinning() {
            if policy.spun(now, is_crowded, scheduler::switches) {
                scheduler::shorten_slice();
            }
            patience.spins = policy.spins();
            self.patience.set(patience);
        }
        if is_crowded {
            return 0;
        }
        self.stretch.set(Stretch::begin(now));
        patience.yields
    }

    /// Offers the core to others, in a wait that has asked for [`offers`](Self::offers). Returns whether it may be offered again.
    pub(crate) fn yield_core(&self, contention: &Contention) -> bool {
        if self.polls {
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
        contention.offered(stretch.since, now);
        if contention.is_here(now) {
            scheduler::shorten_slice();
            return false;
        }
        true
    }
}

/// What an image has learnt from its waits, and what follows from it.
#[derive(Debug)]
struct Policy {
    /// Rounds of spinning, if nobody else wants the core.
    most: u32,
    spinning: Spinning,
}

/// Rounds of spinning of an image that hardly spins.
const MOMENT: u32 = 32;

/// Spinning in vain so often, one soon after the other, is enough.
const VAIN: u32 = 3;

/// No image spins in vain more often than that.
const SHORTEST: Duration = Duration::from_micros(20);

/// What is longer apart has nothing to do with each other.
const SOON: Duration = Duration::from_millis(2);

/// After so many short waits a long one is tried again: first, and at most.
const RETRIES: [u32; 2] = [16, 1024];

#[derive(Debug)]
enum Spinning {
    /// As long as it may. The last time it was in vain, and how often the core had gone to others by then.
    Long {
        vain: u32,
        last: Option<(Duration, u64)>,
        /// How many short waits came before this.
        after: u32,
    },
    /// A moment only, in so many more waits.
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

    /// Whether it spins long enough to be worth a thought.
    fn minds_spinning(&self) -> bool {
        self.most > MOMENT
    }

    /// Spun in vain; `switches` says how often the core has gone to others so far. Returns whether it is time to spin less.
    fn spun(&mut self, now: Duration, is_crowded: bool, switches: impl FnOnce() -> u64) -> bool {
        match &mut self.spinning {
            Spinning::Short { left, of } => {
                *left -= 1;
                if *left == 0 {
                    self.spinning = Spinning::Long {
                        vain: 0,
                        last: None,
                        after: *of,
                    };
                }
                false
            }
            Spinning::Long { vain, last, after } => {
                let since = last.map(|(then, _)| now.saturating_sub(then));
                if since.is_some_and(|since| since < SHORTEST) {
                    // Of the same wait, or the next, which came without spinning.
                    return false;
                }
                let switches = switches();
                // Who sleeps instead of offering its core does not lose it to anybody.
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
