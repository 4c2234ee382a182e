//! Timing what all images do together.
//!
//! Everything runs in batches: a barrier, the clock, the operation many times, the clock. Actions that are compared
//! take turns, batch by batch, so a disturbance of the machine hits all of them.

use std::time::Duration;

use coarray::collectives::{co_max, co_min};
use rustix::time::{ClockId, clock_gettime};

/// An action to time: runs it the given number of times.
pub type Action = Box<dyn FnMut(usize)>;

/// The length of a batch, so that the clock and the start cost nothing in comparison; longer if images take turns to
/// start.
pub fn batch(crowded: bool) -> Duration {
    Duration::from_micros(if crowded { 1000 } else { 100 })
}

/// How to measure a batch, of which each image has a start and an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// From the first start to the last end: where images outnumber cores, one may begin when another has ended.
    Whole,
    /// The longest time of one image: where an image may sleep in the barrier while another has begun.
    Longest,
}

/// The fewest batches of each action, however long they take, if the budget is that of reproducible numbers; one, if it is that of a look.
const MIN_BATCHES: u128 = 5;
const MILLISECONDS_EACH: u128 = 5;

/// For how many budgets an action is repeated before it is timed, if it takes as long as a batch: an alltoall of 8 MiB of each of four images gets
/// faster for the first dozen times, as its memory comes into the caches. Shorter ones have been repeated as often to find the size of a batch.
const WARM_UP: f64 = 3.0;

/// Fewer repetitions than so many follow some that are not timed, where actions take turns: the data of the other actions are in the caches.
/// The programs in C have one action at a time, which finds there what it left itself.
const WARM: usize = 4;

/// Times actions, the same on all images.
pub struct Stopwatch {
    barrier: Box<dyn Fn()>,
    length: Length,
    batch: Duration,
    budget: Duration,
}

impl Stopwatch {
    /// Starts batches with `barrier`, which last about `batch`; spends about `budget` on each call of
    /// [`compare`](Self::compare).
    pub fn new(
        barrier: impl Fn() + 'static,
        length: Length,
        batch: Duration,
        budget: Duration,
    ) -> Self {
        Self {
            barrier: Box::new(barrier),
            length,
            batch,
            budget,
        }
    }

    /// Collective. Runs the actions in turn, batch by batch; returns the nanoseconds that each took in each turn.
    pub fn compare(&self, actions: &mut [Action]) -> Vec<Vec<f64>> {
        let sizes: Vec<(usize, f64)> = actions
            .iter_mut()
            .map(|action| self.batch_size(action))
            .collect();
        for (action, &(size, nanoseconds)) in actions.iter_mut().zip(&sizes) {
            if size == 1 {
                let times = WARM_UP * self.budget.as_nanos() as f64 / nanoseconds;
                action(times as usize);
            }
        }
        let turn: f64 = sizes.iter().map(|(_, nanoseconds)| nanoseconds).sum();
        // Equal on all images, because the times are.
        let turns = (self.budget.as_nanos() as f64 / turn) as usize;
        let fewest = (self.budget.as_millis() / MILLISECONDS_EACH).clamp(1, MIN_BATCHES) as usize;
        let (turns, warm) = (turns.max(fewest), fewest.min(WARM));
        let mut batches = vec![Vec::with_capacity(turns); actions.len()];
        for _ in 0..turns {
            for ((action, batches), &(size, _)) in actions.iter_mut().zip(&mut batches).zip(&sizes)
            {
                if sizes.len() > 1 && size < warm {
                    action(warm - size);
                }
                batches.push(self.run(action, size));
            }
        }
        let times = batches.iter().zip(&sizes);
        times
            .map(|(batches, &(size, _))| self.lengths(batches, size))
            .collect()
    }

    /// Collective. The number of repetitions in a batch, and how long that takes; also warms up.
    fn batch_size(&self, action: &mut Action) -> (usize, f64) {
        const MAX_SIZE: usize = 1 << 20;
        /// A disturbance of one batch must not count as the length of all.
        const TRIALS: usize = 3;
        let mut size = 1;
        loop {
            // The first batch pays for cold memory.
            self.run(action, size);
            let trials: Vec<Batch> = (0..TRIALS).map(|_| self.run(action, size)).collect();
            let nanoseconds = self
                .lengths(&trials, 1)
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            if nanoseconds * 2.0 > self.batch.as_nanos() as f64 || size == MAX_SIZE {
                return (size, nanoseconds);
            }
            size *= 2;
        }
    }

    fn run(&self, action: &mut Action, size: usize) -> Batch {
        (self.barrier)();
        let start = now();
        action(size);
        Batch { start, end: now() }
    }

    /// Collective. How long `size` actions took in each batch, for one action.
    fn lengths(&self, batches: &[Batch], size: usize) -> Vec<f64> {
        let mut starts: Vec<u64> = batches.iter().map(|batch| batch.start).collect();
        let mut ends: Vec<u64> = batches.iter().map(|batch| batch.end).collect();
        if self.length == Length::Longest {
            for (start, end) in starts.iter_mut().zip(&mut ends) {
                *end -= std::mem::take(start);
            }
        }
        co_min(starts.as_mut_slice());
        co_max(ends.as_mut_slice());
        let length = |(start, end)| (end - start) as f64 / size as f64;
        starts.into_iter().zip(ends).map(length).collect()
    }
}

/// A batch on this image, in nanoseconds of the clock that all images share.
#[derive(Clone, Copy, Debug)]
struct Batch {
    start: u64,
    end: u64,
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let time = Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32);
    u64::try_from(time.as_nanos()).expect("the machine has not run for 500 years")
}
