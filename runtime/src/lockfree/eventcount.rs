//! A count in shared memory that only grows, and waiting for it: spin, then yield, then sleep on a futex.
//!
//! A waiter that goes to sleep leaves the [`SLEEPING`] bit in the word. Who raises the count swaps or adds,
//! and learns from the old value whether it must wake somebody: no wake-up is lost, and an awake waiter
//! costs the other side no system call and no extra cache line.
//!
//! Many may wait for one eventcount, each for a count of its own. So the bit belongs to no waiter, and none takes it
//! back: whoever raises the count and finds the bit takes it out and then wakes all, and those who still
//! wait set it again. Nobody sleeps on unnoticed, because whoever takes the bit out wakes all who slept
//! until then, and who was only about to sleep finds the bit gone: the kernel compares it too, for it is
//! the lowest of the word. A waiter that gives up leaves the bit behind, which costs one idle wake-up.

use std::time::Duration;

use crate::primitives::{AtomicU64, Ordering, pause, sleep_while_equal, wake, yield_now};

/// Set by a waiter in the word it sleeps on; the count is in the bits above.
const SLEEPING: u64 = 1;

/// A count that images raise and that others wait for.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Eventcount(AtomicU64);

impl Eventcount {
    /// The count. Everything that was written before it was raised so far is visible.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire) >> 1
    }

    /// The count in the bytes of a eventcount, which were got from another node.
    #[must_use]
    pub fn count_in(bytes: u64) -> u64 {
        bytes >> 1
    }

    /// Whether the count is at least `target`; if so, everything written before is visible.
    #[inline]
    #[must_use]
    pub fn has_reached(&self, target: u64) -> bool {
        self.count() >= target
    }

    /// Sets the count, for one writer at a time, and wakes who waits. Everything written before is visible
    /// to whoever sees the count.
    #[inline]
    pub fn advance_to(&self, count: u64) {
        if self.0.swap(count << 1, Ordering::AcqRel) & SLEEPING != 0 {
            wake(&self.0);
        }
    }

    /// Adds to the count, for any number of writers, and wakes who waits. Everything written before is
    /// visible to whoever sees the sum.
    #[inline]
    pub fn add(&self, count: u64) {
        if self.0.fetch_add(count << 1, Ordering::AcqRel) & SLEEPING != 0 {
            self.0.fetch_and(!SLEEPING, Ordering::Relaxed);
            wake(&self.0);
        }
    }
}

/// How long an image sleeps before it looks around again.
pub(crate) const PARK_TIMEOUT: Duration = Duration::from_millis(50);

/// How long to spin and to yield before sleeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpinPolicy {
    /// Rounds of spinning with a pause, a few nanoseconds each.
    pub(crate) spins: u32,
    /// Offers of the core to other images.
    pub(crate) yields: u32,
}

/// What an image does while it waits.
pub(crate) trait WaitStrategy {
    /// Why it gives up.
    type Stop;

    /// Looks around, between two steps of waiting.
    fn check(&self) -> Result<(), Self::Stop>;

    /// Has spun in vain. Says how often to offer the core before sleeping.
    fn yields(&self, patience: SpinPolicy) -> u32 {
        patience.yields
    }

    /// Offers the core to other images. Returns whether to do so again.
    fn yield_core(&self) -> bool {
        yield_now();
        true
    }

    /// Says how long to sleep at most before looking around again.
    fn park_timeout(&self) -> Duration;

    /// Begins to sleep: until `rise` the image does nothing but wait for `eventcount` to reach `target`.
    fn prepare_park(&self, eventcount: &Eventcount, target: u64);

    /// Slept a whole nap, and nobody woke it.
    fn on_timeout(&self) -> Result<(), Self::Stop>;

    /// Sleeps no more.
    fn unpark(&self);
}

/// Waits until `eventcount` has reached `target`, then sees everything written before it was raised so far.
///
/// `watch` is made only if the wait is not over at once.
#[inline]
pub(crate) fn until<W: WaitStrategy>(
    eventcount: &Eventcount,
    target: u64,
    patience: SpinPolicy,
    watch: impl FnOnce() -> W,
) -> Result<(), W::Stop> {
    for _ in 0..patience.spins {
        if eventcount.has_reached(target) {
            return Ok(());
        }
        pause();
    }
    until_patiently(eventcount, target, patience, watch)
}

#[cold]
#[inline(never)]
fn until_patiently<W: WaitStrategy>(
    eventcount: &Eventcount,
    target: u64,
    patience: SpinPolicy,
    watch: impl FnOnce() -> W,
) -> Result<(), W::Stop> {
    let watch = watch();
    for _ in 0..watch.yields(patience) {
        if eventcount.has_reached(target) {
            return Ok(());
        }
        watch.check()?;
        if !watch.yield_core() {
            break;
        }
    }
    if eventcount.has_reached(target) {
        return Ok(());
    }
    watch.prepare_park(eventcount, target);
    let end = sleep(eventcount, target, &watch);
    watch.unpark();
    end
}

fn sleep<W: WaitStrategy>(eventcount: &Eventcount, target: u64, watch: &W) -> Result<(), W::Stop> {
    loop {
        let seen = eventcount.0.fetch_or(SLEEPING, Ordering::AcqRel);
        if seen >> 1 >= target {
            return Ok(());
        }
        watch.check()?;
        let was_woken = sleep_while_equal(&eventcount.0, seen | SLEEPING, watch.park_timeout());
        if !was_woken && !eventcount.has_reached(target) {
            watch.on_timeout()?;
        }
    }
}
