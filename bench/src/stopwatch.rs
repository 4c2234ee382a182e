//! Timing what all images do together.
//!
//! Everything is run in batches: a barrier, the clock, so many times the operation, the clock. What is to be compared
//! takes turns, batch by batch, so that a disturbance of the machine hits all of it.

use std::time::Duration;

use coarray::collectives::{co_max, co_min};
use rustix::time::{ClockId, clock_gettime};

/// Something to time: does it so many times.
pub type Action = Box<dyn FnMut(usize)>;

/// A batch lasts about this long, so that the clock and the start cost nothing in comparison; longer if images must
/// take turns to start.
pub fn batch(crowded: bool) -> Duration {
    Duration::from_micros(if crowded { 1000 } else { 100 })
}

/// How long a batch is, of which each image has a start and an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// From the first start to the last end: where images outnumber cores, one may begin when another has ended.
    Whole,
    /// That of the image that takes the longest: where an image may sleep in the barrier while another has begun.
    Longest,
}

/// Batches of each action at least, however long they last.
const MIN_BATCHES: usize = 5;

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
        let turn: f64 = sizes.iter().map(|(_, nanoseconds)| nanoseconds).sum();
        // The same on all images, as the times are.
        let turns = (self.budget.as_nanos() as f64 / turn) as usize;
        let turns = turns.max(MIN_BATCHES);
        let mut batches = vec![Vec::with_capacity(turns); actions.len()];
        for _ in 0..turns {
            for ((action, batches), &(size, _)) in actions.iter_mut().zip(&mut batches).zip(&sizes)
            {
                batches.push(self.run(action, size));
            }
        }
        let times = batches.iter().zip(&sizes);
        times
            .map(|(batches, &(size, _))| self.lengths(batches, size))
            .collect()
    }

    /// Collective. How often to repeat the action in a batch, and how long that takes; warms up as well.
    fn batch_size(&self, action: &mut Action) -> (usize, f64) {
        const MAX_SIZE: usize = 1 << 20;
        /// A disturbance of one must not pass for the length of all.
        const TRIALS: usize = 3;
        let mut size = 1;
        loop {
            // The first one pays for what nobody has used before.
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
