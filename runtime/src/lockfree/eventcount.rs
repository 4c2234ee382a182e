//! An eventcount (Reed and Kanodia 1979): a count in shared memory that only grows, and waiting for it by spinning,
//! then yielding, then sleeping on a futex.
//!
//! A waiter that goes to sleep sets the [`SLEEPING`] bit in the word. An image that advances the count swaps or adds,
//! and learns from the old value whether it must wake somebody. So no wake-up is lost, and an awake waiter costs the
//! other side no system call and no extra cache line.
//!
//! Many images may wait for one eventcount, each for a count of its own. So the bit belongs to no waiter, and no waiter
//! clears it: an image that advances the count and finds the bit clears it and then wakes all, and those that still
//! wait set it again. No sleeper is missed: clearing the bit wakes all that slept until then, and an image about to
//! sleep finds the bit gone, because the kernel compares the whole low half of the word, which contains it. A waiter
//! that gives up leaves the bit, which costs one idle wake-up.
//!
//! D. P. Reed, R. K. Kanodia, *Synchronization with eventcounts and sequencers*, Communications of the ACM 22 (1979).

use std::time::Duration;

use crate::primitives::{AtomicU64, Ordering, pause, sleep_while_equal, wake, yield_now};

/// Set by a waiter in the word that it sleeps on; the count is in the bits above.
const SLEEPING: u64 = 1;

/// A count that images advance and that others wait for.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Eventcount(AtomicU64);

impl Eventcount {
    /// The count. Everything written before it was advanced so far is visible.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u64 {
        // Pairs with the Release in `advance_to` and `add`.
        self.0.load(Ordering::Acquire) >> 1
    }

    /// The count in the bytes of an eventcount that were fetched from another node.
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

    /// Sets the count, for one writer at a time, and wakes waiters. Everything written before is visible to an image
    /// that sees the count.
    #[inline]
    pub fn advance_to(&self, count: u64) {
        // Release pairs with the Acquire in `count`; Acquire with the one in `sleep` that set the bit.
        if self.0.swap(count << 1, Ordering::AcqRel) & SLEEPING != 0 {
            wake(&self.0);
        }
    }

    /// As [`advance_to`](Self::advance_to), but wakes nobody: whoever sleeps notices at its next timeout. For a count that nobody waits for,
    /// unless by mistake.
    #[inline]
    pub(crate) fn advance_silently(&self, count: u64) {
        // Release pairs with the Acquire in `count`.
        self.0.store(count << 1, Ordering::Release);
    }

    /// Adds to the count, for any number of writers, and wakes waiters. Everything written before is visible to an
    /// image that sees the sum.
    #[inline]
    pub fn add(&self, count: u64) {
        // As in `advance_to`. Every write in a chain of additions stays visible: they are one release sequence.
        if self.0.fetch_add(count << 1, Ordering::AcqRel) & SLEEPING != 0 {
            // Relaxed: the addition above has published the count, and only the bit changes.
            self.0.fetch_and(!SLEEPING, Ordering::Relaxed);
            wake(&self.0);
        }
    }
}

/// The longest sleep before the next check.
pub(crate) const PARK_TIMEOUT: Duration = Duration::from_millis(50);

/// How long to spin and to yield before sleeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpinPolicy {
    /// Rounds of spinning with a pause, a few nanoseconds each.
    pub(crate) spins: u32,
    /// How often to yield the core.
    pub(crate) yields: u32,
}

/// What an image does while it waits.
pub(crate) trait WaitStrategy {
    /// Why it gives up.
    type Stop;

    /// Checks whether to give up, between two steps of waiting.
    fn check(&self) -> Result<(), Self::Stop>;

    /// How often to spin now, by an image that has not spun before.
    fn spins(&self) -> u32 {
        0
    }

    /// Called after spinning in vain. Returns how often to yield before sleeping.
    fn yields(&self, patience: SpinPolicy) -> u32 {
        patience.yields
    }

    /// Yields the core. Returns whether to do so again.
    fn yield_core(&self) -> bool {
        yield_now();
        true
    }

    /// The longest sleep before the next check.
    fn park_timeout(&self) -> Duration;

    /// Called before sleeping: until `unpark` the image only waits for `eventcount` to reach `target`.
    fn prepare_park(&self, eventcount: &Eventcount, target: u64);

    /// Called after a sleep that timed out.
    fn on_timeout(&self) -> Result<(), Self::Stop>;

    /// Called when the image sleeps no more.
    fn unpark(&self);
}

/// A strategy around another one, which decides when to give up, and otherwise does what that one does.
pub(crate) trait Around {
    type Inner: WaitStrategy;

    /// Why it gives up.
    type Stop;

    fn inner(&self) -> &Self::Inner;

    /// That the inner one gives up.
    fn stop(stop: <Self::Inner as WaitStrategy>::Stop) -> Self::Stop;

    /// As [`WaitStrategy::spins`].
    fn spins(&self) -> u32 {
        self.inner().spins()
    }

    /// As [`WaitStrategy::check`]; calls the inner one's.
    fn check(&self) -> Result<(), Self::Stop>;

    /// As [`WaitStrategy::park_timeout`].
    fn park_timeout(&self) -> Duration {
        self.inner().park_timeout()
    }

    /// As [`WaitStrategy::prepare_park`].
    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        self.inner().prepare_park(eventcount, target);
    }

    /// As [`WaitStrategy::on_timeout`].
    fn on_timeout(&self) -> Result<(), Self::Stop> {
        self.inner().on_timeout().map_err(Self::stop)
    }
}

impl<A: Around> WaitStrategy for A {
    type Stop = <A as Around>::Stop;

    fn check(&self) -> Result<(), Self::Stop> {
        Around::check(self)
    }

    fn spins(&self) -> u32 {
        Around::spins(self)
    }

    fn yields(&self, patience: SpinPolicy) -> u32 {
        self.inner().yields(patience)
    }

    fn yield_core(&self) -> bool {
        self.inner().yield_core()
    }

    fn park_timeout(&self) -> Duration {
        Around::park_timeout(self)
    }

    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        Around::prepare_park(self, eventcount, target);
    }

    fn on_timeout(&self) -> Result<(), Self::Stop> {
        Around::on_timeout(self)
    }

    fn unpark(&self) {
        self.inner().unpark();
    }
}

/// Waits until `eventcount` has reached `target`. Then everything written before it was advanced so far is visible.
///
/// `watch` is made only if the wait is not over after spinning.
#[inline]
pub(crate) fn until<W: WaitStrategy>(
    eventcount: &Eventcount,
    target: u64,
    patience: SpinPolicy,
    watch: impl FnOnce() -> W,
) -> Result<(), W::Stop> {
    let mut spins = patience.spins;
    loop {
        if eventcount.has_reached(target) {
            return Ok(());
        }
        if spins == 0 {
            break;
        }
        spins -= 1;
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
    for _ in 0..watch.spins() {
        if eventcount.has_reached(target) {
            return Ok(());
        }
        pause();
    }
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
        // Acquire pairs with the Release of the image that advanced the count, Release with its Acquire.
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
