//! Nanoseconds of times of the clock of profiles.

use crate::profile::clock::{Clock, nanoseconds};

/// What turns times of the clock of profiles into nanoseconds, the same for all images of the machine: so what was before something
/// else stays before it.
#[derive(Clone, Copy, Debug)]
pub struct Timebase {
    clock: u64,
    nanoseconds: u64,
    nanoseconds_in_tick: f64,
}

impl Timebase {
    /// By the times at which images began, by both clocks, and the time now: the longer ago that was, the better.
    pub fn new(begins: impl Iterator<Item = (u64, u64)>) -> Self {
        Self::until((Clock::new().now(), nanoseconds()), begins)
    }

    /// As [`new`](Self::new), by another time than now.
    pub fn until(now: (u64, u64), begins: impl Iterator<Item = (u64, u64)>) -> Self {
        let (clock, nanoseconds) = begins.min().unwrap_or(now);
        let ticks = now.0.saturating_sub(clock) as f64;
        let nanoseconds_in_tick = match ticks > 0.0 {
            true => now.1.saturating_sub(nanoseconds) as f64 / ticks,
            false => 1.0,
        };
        Self {
            clock,
            nanoseconds,
            nanoseconds_in_tick,
        }
    }

    pub(crate) fn nanoseconds(self, time: u64) -> u64 {
        let ticks = time.saturating_sub(self.clock) as f64;
        self.nanoseconds + (ticks * self.nanoseconds_in_tick) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_before_stays_before() {
        let timebase = Timebase::new([(900, 50), (400, 30)].into_iter());
        let times: Vec<u64> = (0..2000).map(|time| timebase.nanoseconds(time)).collect();
        assert!(times.is_sorted());
        assert_eq!(times[400], 30);
    }
}
