//! Timing what all images do together.
//!
//! Everything is run in batches: a raw barrier, the clock, so many times the operation, the clock. The time of a
//! batch is that of the slowest image. What is to be compared takes turns, batch by batch, so that a disturbance of
//! the machine hits all of it.

use std::rc::Rc;
use std::time::{Duration, Instant};

use coarray::co_max;

use crate::raw::Barrier;

/// Something to time: does it so many times.
pub type Action = Box<dyn FnMut(usize)>;

/// A batch lasts about this long, so that the clock and the start cost nothing in comparison.
const BATCH: Duration = Duration::from_micros(100);

/// Batches of each action at least, however long they last.
const MIN_BATCHES: usize = 5;

/// Times actions, the same on all images.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    barrier: Rc<Barrier>,
    budget: Duration,
}

impl Stopwatch {
    /// Starts batches with `barrier`; spends about `budget` on each call of [`compare`](Self::compare).
    pub fn new(barrier: Rc<Barrier>, budget: Duration) -> Self {
        Self { barrier, budget }
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
        let mut times = vec![Vec::with_capacity(turns); actions.len()];
        for _ in 0..turns {
            for ((action, times), &(size, _)) in actions.iter_mut().zip(&mut times).zip(&sizes) {
                times.push(self.batch(action, size) / size as f64);
            }
        }
        for times in &mut times {
            co_max(times.as_mut_slice());
        }
        times
    }

    /// Collective. How often to repeat the action in a batch, and how long that takes; warms up as well.
    fn batch_size(&self, action: &mut Action) -> (usize, f64) {
        const MAX_SIZE: usize = 1 << 20;
        let mut size = 1;
        loop {
            // The first one pays for what nobody has used before.
            self.batch(action, size);
            let mut nanoseconds = self.batch(action, size);
            co_max(&mut nanoseconds);
            if nanoseconds * 2.0 > BATCH.as_nanos() as f64 || size == MAX_SIZE {
                return (size, nanoseconds);
            }
            size *= 2;
        }
    }

    /// The nanoseconds that a batch takes on this image.
    fn batch(&self, action: &mut Action, size: usize) -> f64 {
        self.barrier.wait();
        let start = Instant::now();
        action(size);
        start.elapsed().as_nanos() as f64
    }
}
