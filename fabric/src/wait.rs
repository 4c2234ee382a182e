//! Waiting for a word in shared memory: spin, then yield, then sleep on a futex.
//!
//! A waiter that goes to sleep leaves the [`SLEEPING`] bit in the word. The poster swaps its value in and
//! learns from the old value whether it must wake somebody: no wake-up is lost, and an awake waiter
//! costs the poster no system call and no extra cache line.

use crate::primitives::{AtomicU32, Ordering, pause, sleep_while_equal, wake, yield_now};

/// Set by a waiter in the word it sleeps on; never part of a posted value.
pub(crate) const SLEEPING: u32 = 1 << 31;

/// How long to spin and to yield before sleeping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Rounds of spinning with a pause, a few nanoseconds each.
    pub(crate) spins: u32,
    /// Offers of the core to other images.
    pub(crate) yields: u32,
}

/// The job ended while the image was waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended;

/// Publishes `value` in `word` and wakes a sleeping waiter. Everything written before is visible to
/// whoever sees the value.
#[inline]
pub(crate) fn post(word: &AtomicU32, value: u32) {
    if word.swap(value, Ordering::AcqRel) & SLEEPING != 0 {
        wake(word);
    }
}

/// Waits until `word` holds `value`, then sees everything written before it was posted.
#[inline]
pub(crate) fn until_posted(
    word: &AtomicU32,
    value: u32,
    patience: Patience,
    ended: impl Fn() -> bool,
) -> Result<(), Ended> {
    for _ in 0..patience.spins {
        if word.load(Ordering::Acquire) == value {
            return Ok(());
        }
        pause();
    }
    until_posted_patiently(word, value, patience, ended)
}

#[cold]
fn until_posted_patiently(
    word: &AtomicU32,
    value: u32,
    patience: Patience,
    ended: impl Fn() -> bool,
) -> Result<(), Ended> {
    let mut yields = 0;
    loop {
        let seen = word.load(Ordering::Acquire);
        if seen == value {
            return Ok(());
        }
        if ended() {
            return Err(Ended);
        }
        if yields < patience.yields {
            yields += 1;
            yield_now();
            continue;
        }
        let asleep = seen | SLEEPING;
        if seen == asleep
            || word
                .compare_exchange(seen, asleep, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
        {
            sleep_while_equal(word, asleep);
        }
    }
}
