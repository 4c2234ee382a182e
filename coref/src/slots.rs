//! A seqlock-like double buffer: readers copy the current slot of two while a writer fills the other.
//!
//! A version counts the published values; slot `version & 1` is current.
//!
//! ```text
//! reader                               writer
//! loads version v                      takes the write lock
//! copies slot v & 1                    fills slot (v + 1) & 1
//! tries again if the version changed   stores version v + 1, releases the lock
//! ```
//!
//! A writer that is killed at any point leaves a complete value in the current slot, and readers never wait for a writer that
//! is preempted.
//!
//! The words are [in memory](Slots), or [the fabric's](crate::fabric_slots); what is here knows them as [`Words`].
//!
//! The check of the version is that of a sequence lock (Lameter, *Effective Synchronization on Linux/NUMA Systems*, 2005), with
//! the fences of Boehm (*Can Seqlocks Get Along With Programming Language Memory Models?*, 2012); the second slot is Lamport's
//! (*Concurrent Reading and Writing*, 1977).

use crate::primitives::{AtomicU32, AtomicU64, Ordering, fence, pause, yield_now};

/// No image's number as a writer.
pub(crate) const NOBODY: u32 = 0;

/// How often a reader tries before it takes the write lock for a moment.
const ATTEMPTS: u32 = 16;

/// How often a writer polls the lock before it yields its core.
const SPINS: u32 = 100;

/// Which slot is current, and which image may write the other.
pub(crate) trait Words {
    /// The version. The slot of that version is complete.
    fn version(&self) -> u64;

    /// The version after a copy of a slot: if the copy has a byte of the writer that overwrites the slot, at least that from which this
    /// writer began.
    fn version_after_copy(&self) -> u64;

    /// The version, for the image that has the write lock. A reader of a byte that is written from here on sees at least this one.
    fn begin(&self) -> u64;

    /// Makes the slot of this version, which is complete, the current one.
    fn publish(&self, version: u64);

    /// The number of the writer that holds the write lock, or [`NOBODY`].
    fn writer(&self) -> u32;

    /// Makes the writer `me` in place of `from`, if that holds the lock. Then it sees what `from` has published.
    fn take(&self, from: u32, me: u32) -> bool;

    /// Releases the write lock.
    fn release(&self);

    /// A copy of the current slot by `copy`; none if others published during every attempt. `copy` may see a slot that is being
    /// written, but then its result is dropped.
    #[inline]
    fn read<V>(&self, copy: impl Fn(usize) -> V) -> Option<V> {
        for _ in 0..ATTEMPTS {
            let version = self.version();
            let value = copy((version & 1) as usize);
            if self.version_after_copy() == version {
                return Some(value);
            }
            pause();
        }
        None
    }

    /// Takes the write lock as `me`, which is not [`NOBODY`].
    ///
    /// While another writer holds the lock, calls `is_gone` with its number now and then. If that returns true, takes the lock
    /// over: the holder will touch nothing any more, and everything that it wrote happened before.
    #[inline]
    fn write(&self, me: u32, is_gone: impl FnMut(u32) -> bool) -> Writer<'_, Self> {
        if !self.take(NOBODY, me) {
            wait_and_take(self, me, is_gone);
        }
        Writer {
            words: self,
            version: self.begin(),
        }
    }
}

#[cold]
fn wait_and_take<W: Words + ?Sized>(words: &W, me: u32, mut is_gone: impl FnMut(u32) -> bool) {
    let mut spins = 0;
    loop {
        let writer = words.writer();
        if writer == NOBODY {
            if words.take(NOBODY, me) {
                return;
            }
        } else if spins < SPINS {
            spins += 1;
            pause();
        } else if is_gone(writer) && words.take(writer, me) {
            return;
        } else {
            yield_now();
        }
    }
}

/// The write lock: nobody else publishes while this lives.
pub(crate) struct Writer<'a, W: Words + ?Sized> {
    words: &'a W,
    version: u64,
}

impl<W: Words + ?Sized> Writer<'_, W> {
    /// The current slot. Nobody writes to it.
    pub(crate) fn current(&self) -> usize {
        (self.version & 1) as usize
    }

    /// The slot to write. Readers that still copy it drop their copy.
    pub(crate) fn spare(&self) -> usize {
        self.current() ^ 1
    }

    /// Makes the spare slot current.
    pub(crate) fn publish(self) {
        self.words.publish(self.version.wrapping_add(1));
    }
}

impl<W: Words + ?Sized> Drop for Writer<'_, W> {
    fn drop(&mut self) {
        self.words.release();
    }
}

/// The words in memory that all images map.
#[repr(C)]
pub(crate) struct Slots {
    /// Counts the values that were published. The lowest bit is the number of the current slot.
    pub(crate) version: AtomicU64,
    /// The write lock: the number of the writer that holds it, or [`NOBODY`].
    pub(crate) writer: AtomicU32,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self {
            version: AtomicU64::new(0),
            writer: AtomicU32::new(NOBODY),
        }
    }
}

impl Words for Slots {
    #[inline]
    fn version(&self) -> u64 {
        // Pairs with the Release in `publish`: the slot of that version is complete.
        self.version.load(Ordering::Acquire)
    }

    #[inline]
    fn version_after_copy(&self) -> u64 {
        // Pairs with the Release fence in `begin`: if the copy has a byte of the writer that overwrites the slot, the load
        // below returns at least the version which that writer began from.
        fence(Ordering::Acquire);
        self.version.load(Ordering::Relaxed)
    }

    #[inline]
    fn begin(&self) -> u64 {
        // Relaxed: `take`, or `is_gone`, has acquired what the last writer published.
        let version = self.version.load(Ordering::Relaxed);
        // Pairs with the Acquire fence in `version_after_copy`.
        fence(Ordering::Release);
        version
    }

    #[inline]
    fn publish(&self, version: u64) {
        // Pairs with the Acquire in `version`.
        self.version.store(version, Ordering::Release);
    }

    #[inline]
    fn writer(&self) -> u32 {
        // Relaxed: `take` orders what follows.
        self.writer.load(Ordering::Relaxed)
    }

    #[inline]
    fn take(&self, from: u32, me: u32) -> bool {
        // Acquire pairs with the Release in `release`: this writer sees the last one's version and slots.
        self.writer
            .compare_exchange(from, me, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    #[inline]
    fn release(&self) {
        // Pairs with the Acquire in `take`.
        self.writer.store(NOBODY, Ordering::Release);
    }
}
