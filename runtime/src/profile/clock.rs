//! The clock of profiles: the counter of the processor where the system itself keeps time by it, which takes a third of the time of asking
//! the system.

use std::sync::OnceLock;

use coarray_fabric::system::scheduler;

/// Nanoseconds of a clock that all processes of the machine share.
pub(crate) fn nanoseconds() -> u64 {
    scheduler::now().as_nanos() as u64
}

/// A clock that all processes of the machine share, and that counts at a steady rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Whether it counts ticks of the processor's counter, and not nanoseconds.
    counts_ticks: bool,
}

impl Clock {
    /// The clock of this process.
    pub(crate) fn new() -> Self {
        static COUNTS_TICKS: OnceLock<bool> = OnceLock::new();
        let counts_ticks = *COUNTS_TICKS.get_or_init(|| ticks().is_some() && is_steady());
        Self { counts_ticks }
    }

    /// Two or three microseconds, about what a barrier of some images takes: less than that between two of them is next to nothing.
    #[inline]
    pub(crate) fn moment(self) -> u64 {
        match self.counts_ticks {
            true => 8000,
            false => 2500,
        }
    }

    #[inline]
    pub(crate) fn now(self) -> u64 {
        match ticks().filter(|_| self.counts_ticks) {
            Some(ticks) => ticks,
            None => nanoseconds(),
        }
    }
}

/// The processor's counter, if it has one.
#[inline]
fn ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: all processors of this kind have the instruction. Where the system forbids it, it does not keep time by it, and a
        // process that it is forbidden to has asked for that.
        Some(unsafe { std::arch::x86_64::_rdtsc() })
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Whether the system keeps time by that counter: it has found then that it counts at one rate, and the same on all cores.
fn is_steady() -> bool {
    const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(SOURCE).is_ok_and(|source| source.trim() == "tsc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_does_not_go_back() {
        let clock = Clock::new();
        let times: Vec<u64> = (0..1000).map(|_| clock.now()).collect();
        assert!(times.is_sorted());
        assert!(clock.now() > times[0]);
    }
}
