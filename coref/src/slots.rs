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
//! The check of the version is that of a sequence lock (Lameter, *Effective Synchronization on Linux/NUMA Systems*, 2005), with
//! the fences of Boehm (*Can Seqlocks Get Along With Programming Language Memory Models?*, 2012); the second slot is Lamport's
//! (*Concurrent Reading and Writing*, 1977).

use crate::primitives::{AtomicU32, AtomicU64, Ordering, fence, pause, yield_now};

/// Which slot is current, and which image may write the other.
#[repr(C)]
pub(crate) struct Slots {
    /// Counts the values that were published. The lowest bit is the number of the current slot.
    pub(crate) version: AtomicU64,
    /// The write lock: the number of the writer that holds it, or [`NOBODY`].
    pub(crate) writer: AtomicU32,
}

pub(crate) const NOBODY: u32 = 0;

/// How often a reader tries before it takes the write lock for a moment.
pub(crate) const ATTEMPTS: u32 = 16;

/// How often a writer polls the lock before it yields its core.
const SPINS: u32 = 100;

/// The write lock: nobody else publishes while this lives.
pub(crate) struct Writer<'a> {
    slots: &'a Slots,
    version: u64,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self {
            version: AtomicU64::new(0),
            writer: AtomicU32::new(NOBODY),
        }
    }

    /// A copy of the current slot by `copy`; none if others published during every attempt. `copy` may see a slot that is being
    /// written, but then its result is dropped.
    #[inline]
    pub(crate) fn read<V>(&self, copy: impl Fn(usize) -> V) -> Option<V> {
        for _ in 0..ATTEMPTS {
            // Pairs with the Release in `publish`: the slot of that version is complete.
            let version = self.version.load(Ordering::Acquire);
            let value = copy((version & 1) as usize);
            // Pairs with the Release fence in `write`: if `copy` read a byte of the writer that overwrites this slot, the load
            // below returns at least the version which that writer began from, `version + 1`.
            fence(Ordering::Acquire);
            if self.version.load(Ordering::Relaxed) == version {
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
    pub(crate) fn write(&self, me: u32, is_gone: impl FnMut(u32) -> bool) -> Writer<'_> {
        if !self.take(NOBODY, me) {
            self.wait_and_take(me, is_gone);
        }
        // Relaxed: `take`, or `is_gone`, has acquired what the last writer published.
        let version = self.version.load(Ordering::Relaxed);
        // Pairs with the Acquire fence in `read`: a reader of a byte that is written from here on sees at least this version.
        fence(Ordering::Release);
        Writer {
            slots: self,
            version,
        }
    }

    #[inline]
    fn take(&self, from: u32, me: u32) -> bool {
        // Acquire pairs with the Release in `Writer::drop`: this writer sees the last one's version and slots.
        self.writer
            .compare_exchange(from, me, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    #[cold]
    fn wait_and_take(&self, me: u32, mut is_gone: impl FnMut(u32) -> bool) {
        let mut spins = 0;
        loop {
            // Relaxed: `take` orders what follows.
            let writer = self.writer.load(Ordering::Relaxed);
            if writer == NOBODY {
                if self.take(NOBODY, me) {
                    return;
                }
            } else if spins < SPINS {
                spins += 1;
                pause();
            } else if is_gone(writer) && self.take(writer, me) {
                return;
            } else {
                yield_now();
            }
        }
    }
}

impl Writer<'_> {
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
        let version = self.version.wrapping_add(1);
        // Pairs with the Acquire in `Slots::read`: the spare slot is complete before it is current.
        self.slots.version.store(version, Ordering::Release);
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // Pairs with the Acquire in `Slots::take`.
        self.slots.writer.store(NOBODY, Ordering::Release);
    }
}
