//! Times operations as `cobench` does: a barrier, the clock, so many times the operation, the clock. A batch lasts from
//! the first start on any PE to the last end.

use lamellar::LamellarWorld;
use lamellar::memregion::prelude::*;
use rustix::time::{ClockId, clock_gettime};

const MIN_BATCHES: usize = 5;
const MAX_BATCHES: usize = 1 << 16;
const MAX_BATCH: usize = 1 << 20;

/// Times operations on all PEs together.
pub struct Stopwatch<'world> {
    world: &'world LamellarWorld,
    /// Starts, then ends, of this PE's batches.
    marks: SharedMemoryRegion<i64>,
    budget: f64,
    batch: f64,
}

/// Nanoseconds of the clock that all processes of a machine share.
pub fn now() -> i64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

impl<'world> Stopwatch<'world> {
    /// Collective. Spends about `budget` nanoseconds on an operation, in batches that last about `batch`.
    pub fn new(world: &'world LamellarWorld, budget: f64, batch: f64) -> Self {
        Self {
            world,
            marks: world.alloc_shared_mem_region(2 * MAX_BATCHES).block(),
            budget,
            batch,
        }
    }

    /// Collective. Prints a line of samples: the nanoseconds of one operation in each batch. `run` does it so many times.
    pub fn measure(&self, name: &str, bytes: usize, mut run: impl FnMut(usize)) {
        let mut times = 1;
        let duration = loop {
            self.batch(&mut run, times);
            let (start, end) = self.merge(&[self.batch(&mut run, times)])[0];
            let duration = (end - start) as f64;
            if 2.0 * duration > self.batch || times >= MAX_BATCH {
                break duration;
            }
            times *= 2;
        };
        let batches = ((self.budget / duration) as usize).clamp(MIN_BATCHES, MAX_BATCHES);
        let spans: Vec<_> = (0..batches).map(|_| self.batch(&mut run, times)).collect();
        let spans = self.merge(&spans);
        if self.world.my_pe() == 0 {
            let samples: String = spans
                .iter()
                .map(|(start, end)| format!(" {:.3}", (end - start) as f64 / times as f64))
                .collect();
            println!("{name} {bytes} peer{samples}");
        }
    }

    fn batch(&self, run: &mut impl FnMut(usize), times: usize) -> (i64, i64) {
        self.world.barrier_algorithm();
        let start = now();
        run(times);
        (start, now())
    }

    /// The first start and the last end of each batch on any PE.
    fn merge(&self, spans: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let own: Vec<i64> = spans
            .iter()
            .flat_map(|&(start, end)| [start, end])
            .collect();
        let mut merged = spans.to_vec();
        self.world.barrier_algorithm();
        // SAFETY: nobody reads these marks before the next barrier.
        unsafe { self.marks.as_mut_slice()[..own.len()].copy_from_slice(&own) };
        self.world.barrier_algorithm();
        for pe in 0..self.world.num_pes() {
            // SAFETY: nobody writes them before the next barrier, which follows all reads.
            let theirs = unsafe { self.marks.get_buffer(pe, 0, own.len()) }.block();
            for (span, theirs) in merged.iter_mut().zip(theirs.chunks_exact(2)) {
                *span = (span.0.min(theirs[0]), span.1.max(theirs[1]));
            }
        }
        self.world.barrier_algorithm();
        merged
    }
}
