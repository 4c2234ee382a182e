//! Parking: images sleep until a word changes, and those who change words pay a load for it, not a fence.
//!
//! A word has no room for a list of its sleepers, so a table has: each bucket stands for the words with some addresses. An image that is
//! about to sleep counts itself in the bucket, has the *heavy* fence, and looks at the word once more. Who has changed a word has the
//! *light* fence, which costs nothing, and looks whether anybody is counted. So either the sleeper sees the change, or the change
//! is announced to it, by an eventcount. A bucket wakes everybody in it, and whoever still waits counts itself again.
//!
//! An image that is killed stays counted: from then on a change of a word in this bucket costs a few nanoseconds more.
//!
//! The table of sleepers beside the words is that of WebKit's *ParkingLot* (F. Pizlo, *Locking in WebKit*, 2016).

use std::cell::Cell;
use std::time::Duration;

use crate::lockfree::eventcount::{self, Around, Eventcount, SpinPolicy, WaitStrategy};
use crate::primitives::{AtomicU32, Ordering, heavy_fence, light_fence, pause};

/// The number of buckets.
const BUCKETS: usize = 64;

/// The longest sleep if the fences do not work, so that changes may come unannounced.
const UNFENCED_TIMEOUT: Duration = Duration::from_millis(1);

/// The sleepers of some processes.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Table {
    buckets: [Bucket; BUCKETS],
    /// Whether there is a process that heavy fences do not reach.
    is_unfenced: AtomicU32,
}

impl Table {
    /// The bucket for the word at an address: the same one in all processes, since mappings begin at pages.
    #[inline]
    pub(crate) fn bucket(&self, address: usize) -> &Bucket {
        &self.buckets[address / size_of::<u64>() % BUCKETS]
    }

    /// Notes that there is a process that heavy fences do not reach.
    pub(crate) fn note_unfenced(&self) {
        self.is_unfenced.store(1, Ordering::Relaxed);
    }

    /// Whether there is a process that heavy fences do not reach.
    pub(crate) fn is_unfenced(&self) -> bool {
        self.is_unfenced.load(Ordering::Relaxed) != 0
    }
}

/// The sleepers who wait for some words.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Bucket {
    /// How many images sleep, or are about to.
    sleepers: AtomicU32,
    /// How many changes were announced.
    changes: Eventcount,
}

impl Bucket {
    /// To be called after each change of a word.
    #[inline]
    pub(crate) fn note_change(&self) {
        // Pairs with the heavy fence in `prepare_park`: the sleeper sees the change, or this sees the sleeper.
        light_fence();
        // Relaxed: the fences order it. Whatever is seen but 0 only costs an idle wake-up.
        if self.sleepers.load(Ordering::Relaxed) != 0 {
            self.announce();
        }
    }

    /// Wakes all sleepers. The change is visible to them: the count has Release and Acquire.
    #[cold]
    #[inline(never)]
    fn announce(&self) {
        self.changes.add(1);
    }
}

/// Waits until a word has changed, as `has_changed` tells. What `has_changed` looks at is changed by operations that call
/// [`note_change`](Bucket::note_change) for this bucket.
///
/// `watch` is made for each sleep, if spinning does not end the wait. Changes that are not announced are seen when a sleep times out.
pub(crate) fn until_changed<W: WaitStrategy>(
    bucket: &Bucket,
    is_unfenced: bool,
    patience: SpinPolicy,
    has_changed: impl Fn() -> bool,
    watch: impl Fn() -> W,
) -> Result<(), W::Stop> {
    loop {
        for _ in 0..=patience.spins {
            if has_changed() {
                return Ok(());
            }
            pause();
        }
        let sleeper = Sleeper {
            bucket,
            has_changed: &has_changed,
            watch: watch(),
            is_counted: Cell::new(false),
            is_unfenced: Cell::new(is_unfenced),
        };
        let yields = SpinPolicy {
            spins: 0,
            ..patience
        };
        let next = bucket.changes.count() + 1;
        // Others in the bucket may be woken all the time, so this checks at least once.
        let end = Around::check(&sleeper)
            .and_then(|()| eventcount::until(&bucket.changes, next, yields, || sleeper));
        match end {
            Err(Some(stop)) if !has_changed() => return Err(stop),
            // The word, or another one in the bucket.
            _ => {}
        }
    }
}

/// An image that waits for a word of the bucket.
struct Sleeper<'a, C, W> {
    bucket: &'a Bucket,
    has_changed: &'a C,
    watch: W,
    is_counted: Cell<bool>,
    is_unfenced: Cell<bool>,
}

impl<C: Fn() -> bool, W: WaitStrategy> Around for Sleeper<'_, C, W> {
    type Inner = W;
    /// None if the word has changed.
    type Stop = Option<W::Stop>;

    fn inner(&self) -> &W {
        &self.watch
    }

    fn stop(stop: W::Stop) -> Option<W::Stop> {
        Some(stop)
    }

    /// What it waits for is a word, of which the eventcount does not tell soon.
    fn spins(&self) -> u32 {
        0
    }

    fn check(&self) -> Result<(), Option<W::Stop>> {
        self.watch.check().map_err(Some)?;
        match (self.has_changed)() {
            true => Err(None),
            false => Ok(()),
        }
    }

    fn park_timeout(&self) -> Duration {
        let timeout = self.watch.park_timeout();
        match self.is_unfenced.get() {
            true => timeout.min(UNFENCED_TIMEOUT),
            false => timeout,
        }
    }

    /// After this, `check` is called at least once before the image sleeps.
    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        self.is_counted.set(true);
        // Relaxed: the fence orders it before the next look at the word.
        self.bucket.sleepers.fetch_add(1, Ordering::Relaxed);
        // Pairs with the light fence in `note_change`.
        if !heavy_fence() {
            self.is_unfenced.set(true);
        }
        self.watch.prepare_park(eventcount, target);
    }
}

impl<C, W> Drop for Sleeper<'_, C, W> {
    fn drop(&mut self) {
        if self.is_counted.get() {
            // Relaxed: who sees it a little late wakes nobody.
            self.bucket.sleepers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
