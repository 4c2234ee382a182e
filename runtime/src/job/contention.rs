//! Whether other programs that compute want the cores of the images.
//!
//! An image that yields its core to such a program gets it back a time slice later. It then publishes that to all
//! images of its node, in the memory that they share, so it costs one of them a time slice, and not each.
//!
//! An image that computes keeps the core as long. So an image to which that happens looks at how much processor time all images of the node have
//! used since it looked last: no other program has had the cores if that is nearly all there was. The system notes what running images use at each tick
//! of its clock only, so what they have used in less than [some ticks](TICKS) tells nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A yield that lasts longer went to a program that computes. Other images that wait hand the core on within
/// microseconds; a program that computes loses it only at a tick of the scheduler's clock, one to ten milliseconds
/// apart, and seldom at the first.
pub(crate) const LONG: Duration = Duration::from_millis(1);

/// For how long no core is yielded after a yield took long: at first, and at most. The first pause is what such a yield
/// costs, as what wants the core may soon be gone; meanwhile images that wake each other may come to share a core, and then yields are faster
/// than sleep. An image that always finds the same loses a hundredth.
const PAUSES: [Duration; 2] = [Duration::from_millis(4), Duration::from_secs(4)];

/// What the images of a node have found. Times are those of [`scheduler::now`](coarray_fabric::system::scheduler::now),
/// in nanoseconds. They are advice only, and order no memory.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Contention {
    /// No core is yielded until then.
    until: AtomicU64,
    /// The length of that pause.
    pause: AtomicU64,
    /// When an image looked last at how much processor time the images had used, and what it found.
    seen: AtomicU64,
    used: AtomicU64,
}

/// What the images of a node have used of their cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// The processor time of all of them.
    pub(crate) used: Duration,
    /// On how many cores they can run at the same time.
    pub(crate) cores: u32,
}

/// Of sixteen parts of what there was: if the images have used so many, nobody else wants the cores. A program that computes gets more than the
/// rest of a core that is yielded to it, again and again; some of the rest the system takes, and images that sleep for a moment, and a part of it
/// may not have been noted yet.
const NEARLY_ALL: u32 = 13;

/// Ticks of the system's clock: what the images used in a shorter time tells nothing. On each core a tick's time may have been noted that was used
/// before, or may be missing.
const TICKS: u32 = 8;

/// What the images used in so many times that tells nothing, either: they may have slept. A program that computes takes the core again sooner.
const RECENT: u32 = 5;

impl Contention {
    /// Whether to yield no core now.
    #[inline]
    pub(crate) fn is_here(&self, now: Duration) -> bool {
        nanoseconds(now) < self.until.load(Ordering::Relaxed)
    }

    /// Whether no image has found another program so far.
    #[inline]
    pub(crate) fn was_never_here(&self) -> bool {
        self.until.load(Ordering::Relaxed) == 0
    }

    /// Records a yield that is over, on a system whose clock ticks so often. Calls `usage` if it took long; none if that is not known.
    pub(crate) fn offered(
        &self,
        before: Duration,
        now: Duration,
        tick: Duration,
        usage: impl FnOnce() -> Option<Usage>,
    ) {
        let until = self.until.load(Ordering::Relaxed);
        let is_told = nanoseconds(before) < until;
        let shortest = tick * TICKS;
        if now.saturating_sub(before) < LONG
            || is_told
            || self.is_used_by_images(now, until, shortest, usage)
        {
            return;
        }
        let [first, most] = PAUSES.map(nanoseconds);
        let last = self.pause.load(Ordering::Relaxed);
        let soon = nanoseconds(before) - until < last + nanoseconds(shortest * 2);
        let pause = if soon { (2 * last).min(most) } else { first };
        let end = nanoseconds(now) + pause;
        let outcome = self
            .until
            .compare_exchange(until, end, Ordering::Relaxed, Ordering::Relaxed);
        if outcome.is_ok() {
            self.pause.store(pause, Ordering::Relaxed);
        }
    }

    /// Whether the images themselves have used the cores since an image looked last, which is after the last pause and as long ago as that must be at
    /// least. Also if that is not known yet: a later yield tells.
    #[cold]
    fn is_used_by_images(
        &self,
        now: Duration,
        until: u64,
        shortest: Duration,
        usage: impl FnOnce() -> Option<Usage>,
    ) -> bool {
        let seen = self.seen.load(Ordering::Relaxed);
        let elapsed = now.saturating_sub(Duration::from_nanos(seen));
        let (now, order) = (nanoseconds(now), Ordering::Relaxed);
        if elapsed < shortest || self.seen.compare_exchange(seen, now, order, order).is_err() {
            // Another image has just looked, or does.
            return true;
        }
        let Some(Usage { used, cores }) = usage() else {
            self.seen.store(seen, order);
            return false;
        };
        let before = self.used.swap(nanoseconds(used), Ordering::Relaxed);
        let used = used.saturating_sub(Duration::from_nanos(before));
        let may_have_slept = seen < until || elapsed > shortest * RECENT;
        may_have_slept || used * 16 >= elapsed * cores * NEARLY_ALL
    }
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_nanos(1);
    const START: Duration = Duration::from_secs(1000);

    const TICK: Duration = Duration::from_millis(4);
    const SHORTEST: Duration = Duration::from_millis(4 * TICKS as u64);

    #[test]
    fn short_offers_may_be_as_many_as_they_like() {
        let contention = Contention::default();
        for count in 0..100_000 {
            let before = START + count * LONG;
            contention.offered(before, before + LONG - MOMENT, TICK, || None);
            assert!(!contention.is_here(before + LONG));
        }
    }

    #[test]
    fn an_offer_that_took_long_is_the_last_for_a_while() {
        let contention = Contention::default();
        let end = START + LONG;
        contention.offered(START, end, TICK, || None);
        assert!(contention.is_here(end));
        let [first, _] = PAUSES;
        assert!(contention.is_here(end + first - MOMENT));
        assert!(!contention.is_here(end + first));
    }

    #[test]
    fn what_another_image_has_found_is_not_found_again() {
        let contention = Contention::default();
        let [first, _] = PAUSES;
        let end = START + LONG;
        contention.offered(START, end, TICK, || None);
        contention.offered(START, end + first / 2, TICK, || None);
        assert!(!contention.is_here(end + first));
    }

    #[test]
    fn pauses_grow_while_offers_take_long_and_begin_anew_when_they_did_not() {
        let contention = Contention::default();
        let mut now = START;
        // Yields the core at this later time; returns for how long no core is yielded then.
        let mut take_long = |later: Duration| {
            let end = now + later + LONG;
            contention.offered(now + later, end, TICK, || None);
            let pause = Duration::from_nanos(contention.pause.load(Ordering::Relaxed));
            now = end + pause;
            assert!(contention.is_here(now - MOMENT) && !contention.is_here(now));
            pause
        };
        let [first, most] = PAUSES;
        let mut expected = first;
        for _ in 0..12 {
            assert_eq!(take_long(Duration::ZERO), expected);
            expected = (2 * expected).min(most);
        }
        assert_eq!(expected, most);
        // No other program wanted a core for longer than the last pause, and than it takes to find one.
        assert_eq!(take_long(most + 2 * SHORTEST), first);
    }

    /// What images have used that had all of two cores but for one in so many parts.
    fn usage(at: Duration, rest: u32) -> Option<Usage> {
        let used = 2 * (at - START);
        let used = used - used / rest;
        Some(Usage { used, cores: 2 })
    }

    #[test]
    fn long_offers_to_images_that_compute_are_made_again() {
        let contention = Contention::default();
        for count in 0..1000 {
            let before = START + count * 2 * LONG;
            let now = before + LONG;
            contention.offered(before, now, TICK, || usage(now, 20));
            assert!(!contention.is_here(now));
        }
    }

    #[test]
    fn what_images_have_used_may_be_noted_a_tick_late() {
        let contention = Contention::default();
        for count in 0..1000 {
            let before = START + TICK + count * 2 * LONG;
            let now = before + LONG;
            // Of both cores: once in full, once in part, once not at all.
            contention.offered(before, now, TICK, || {
                usage(now - TICK * (count % 3) / 2, 20)
            });
            assert!(!contention.is_here(now));
        }
    }

    #[test]
    fn long_offers_to_another_program_are_the_last_when_enough_ticks_have_passed() {
        let contention = Contention::default();
        let mut now = START;
        while !contention.is_here(now) {
            now += 2 * LONG;
            contention.offered(now - LONG, now, TICK, || usage(now, 4));
            assert!(now < START + SHORTEST + 4 * LONG);
        }
        assert!(now >= START + SHORTEST);
        // Nor does what the images used while they slept tell anything.
        now = Duration::from_nanos(contention.until.load(Ordering::Relaxed));
        let found = now;
        while !contention.is_here(now) {
            now += 2 * LONG;
            contention.offered(now - LONG, now, TICK, || usage(now, 4));
        }
        assert!(now >= found + SHORTEST);
        let [first, _] = PAUSES.map(nanoseconds);
        assert_eq!(contention.pause.load(Ordering::Relaxed), 2 * first);
    }

    #[test]
    fn what_images_used_long_ago_tells_nothing() {
        let contention = Contention::default();
        for count in 1..10 {
            let before = START + count * (RECENT * SHORTEST + LONG);
            let now = before + LONG;
            contention.offered(before, now, TICK, || usage(now, 2));
            assert!(!contention.is_here(now));
        }
    }
}
