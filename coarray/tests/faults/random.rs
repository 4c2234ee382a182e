//! Random choices that can be made again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Numbers by a linear congruence.
pub struct Random(u64);

impl Random {
    /// Starts from `FAULTS_SEED`, or from the time; returns the seed too.
    pub fn seeded() -> (u64, Self) {
        let given = std::env::var("FAULTS_SEED").ok();
        let now = || {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.map_or(0, |now| now.as_nanos() as u64)
        };
        let seed = given.map_or_else(now, |seed| seed.parse().expect("FAULTS_SEED is a number"));
        (seed, Self(seed))
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    /// A time of up to `limit`.
    pub fn time(&mut self, limit: Duration) -> Duration {
        Duration::from_micros(self.below(limit.as_micros() as usize + 1) as u64)
    }

    /// `count` different numbers below `limit`.
    pub fn choose(&mut self, count: usize, limit: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..limit).collect();
        (0..count)
            .map(|_| left.swap_remove(self.below(left.len())))
            .collect()
    }
}
