//! Whether other programs that compute want the cores of the images.
//!
//! An image that yields its core to such a program gets it back a time slice later. It then publishes that to all
//! images of its node, in the memory that they share, so it costs one of them a time slice, and not each.
//!
//! An image that computes keeps the core as long. So an image to which that happens looks at how much processor time all images of the node have
//! used since it happened last: no other program has had the cores if that is nearly all there was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A yield that lasts longer went to a program that computes. Other images that wait hand the core on within
/// microseconds; a program that computes loses it only at a tick of the scheduler's clock, one to ten milliseconds
/// apart, and seldom at the first.
pub(crate) const LONG: Duration = Duration::from_millis(1);

/// For how long no core is yielded after a yield took long: at first, and at most. The first pause is what such a yield
/// costs; meanwhile images that wake each other may come to share a core, and then yields are faster than sleep. An
/// image that always finds the same loses a thousandth.
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
    /// When a yield took long last, and how much processor time the images had used then.
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
/// rest of a core that is yielded to it, again and again; some of the rest the system takes, and images that sleep for a moment.
const NEARLY_ALL: u32 = 13;

/// What the images used in a shorter time tells nothing.
const SHORTEST: Duration = Duration::from_millis(2);

/// What the images used longer ago tells nothing: they may have slept. A program that computes takes the core again much sooner.
const RECENT: Duration = Duration::from_millis(20);

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

    /// Records a yield that is over. Calls `usage` if it took long; none if that is not known.
    pub(crate) fn offered(
        &self,
        before: Duration,
        now: Duration,
        usage: impl FnOnce() -> Option<Usage>,
    ) {
        let until = self.until.load(Ordering::Relaxed);
        let is_told = nanoseconds(before) < until;
        if now.saturating_sub(before) < LONG || is_told || self.is_used_by_images(now, usage) {
            return;
        }
        let [first, most] = PAUSES.map(nanoseconds);
        let last = self.pause.load(Ordering::Relaxed);
        let soon = nanoseconds(before) - until < last;
        let pause = if soon { (2 * last).min(most) } else { first };
        let end = nanoseconds(now) + pause;
        let outcome = self
            .until
            .compare_exchange(until, end, Ordering::Relaxed, Ordering::Relaxed);
        if outcome.is_ok() {
            self.pause.store(pause, Ordering::Relaxed);
        }
    }

    /// Whether the images themselves have used the cores since a yield took long before. Also if that is not known yet: the next such yield tells.
    #[cold]
    fn is_used_by_images(&self, now: Duration, usage: impl FnOnce() -> Option<Usage>) -> bool {
        let seen = self.seen.load(Ordering::Relaxed);
        let elapsed = now.saturating_sub(Duration::from_nanos(seen));
        let (now, order) = (nanoseconds(now), Ordering::Relaxed);
        if elapsed < SHORTEST || self.seen.compare_exchange(seen, now, order, order).is_err() {
            // Another image has just judged, or does.
            return true;
        }
        let Some(Usage { used, cores }) = usage() else {
            return false;
        };
        let before = self.used.swap(nanoseconds(used), Ordering::Relaxed);
        let used = used.saturating_sub(Duration::from_nanos(before));
        elapsed > RECENT || used * 16 >= elapsed * cores * NEARLY_ALL
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

    #[test]
    fn short_offers_may_be_as_many_as_they_like() {
        let contention = Contention::default();
        for count in 0..100_000 {
            let before = START + count * LONG;
            contention.offered(before, before + LONG - MOMENT, || None);
            assert!(!contention.is_here(before + LONG));
        }
    }

    #[test]
    fn an_offer_that_took_long_is_the_last_for_a_while() {
        let contention = Contention::default();
        let end = START + LONG;
        contention.offered(START, end, || None);
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
        contention.offered(START, end, || None);
        contention.offered(START, end + first / 2, || None);
        assert!(!contention.is_here(end + first));
    }

    #[test]
    fn pauses_grow_while_offers_take_long_and_begin_anew_when_they_did_not() {
        let contention = Contention::default();
        let mut now = START;
        // Yields the core at this later time; returns for how long no core is yielded then.
        let mut take_long = |later: Duration| {
            let end = now + later + LONG;
            contention.offered(now + later, end, || None);
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
        // No other program wanted a core for longer than the last pause.
        assert_eq!(take_long(most), first);
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
        for count in 0..100 {
            let before = START + count * 2 * LONG;
            let now = before + LONG;
            contention.offered(before, now, || usage(now, 20));
            assert!(!contention.is_here(now));
        }
    }

    #[test]
    fn the_second_long_offer_to_another_program_is_the_last() {
        let contention = Contention::default();
        let found: Vec<bool> = (1..4)
            .map(|count| {
                let before = START + count * 2 * LONG;
                let now = before + LONG;
                contention.offered(before, now, || usage(now, 4));
                contention.is_here(now)
            })
            .collect();
        assert_eq!(found, [false, true, true]);
    }

    #[test]
    fn what_images_used_long_ago_tells_nothing() {
        let contention = Contention::default();
        for count in 1..10 {
            let before = START + count * (RECENT + LONG);
            let now = before + LONG;
            contention.offered(before, now, || usage(now, 2));
            assert!(!contention.is_here(now));
        }
    }
}
