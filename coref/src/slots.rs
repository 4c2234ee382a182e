//! Two slots for a value, of which one is current while the other can be written.
//!
//! Readers copy the current slot and look afterwards whether the version is still the same, as with a
//! sequence lock (Lameter, *Effective Synchronization on Linux/NUMA Systems*, 2005); the second slot is
//! Lamport's (*Concurrent Reading and Writing*, 1977). So a writer that is killed at any point leaves a
//! complete value behind, and readers never wait for one that is preempted.
//!
//! The fences are those of Boehm, *Can Seqlocks Get Along With Programming Language Memory Models?*, 2012.

use crate::primitives::{AtomicU32, AtomicU64, Ordering, fence, pause, yield_now};

/// Which slot is current, and who may write the other.
#[repr(C)]
pub(crate) struct Slots {
    /// How many values were published. The lowest bit is the number of the current slot.
    pub(crate) version: AtomicU64,
    /// Who may write, or [`NOBODY`].
    pub(crate) writer: AtomicU32,
}

pub(crate) const NOBODY: u32 = 0;

/// How often a reader lets a new version disturb it before it takes the writer's place for a moment.
pub(crate) const ATTEMPTS: u32 = 16;

/// How often to look for the writer to leave before offering the core to it.
const SPINS: u32 = 100;

/// The writer's place: nobody else publishes while this lives.
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

    /// What `copy` makes of the current slot, unless others publish all the time. `copy` may see what
    /// a writer is writing, but then its result is dropped.
    #[inline]
    pub(crate) fn read<V>(&self, copy: impl Fn(usize) -> V) -> Option<V> {
        for _ in 0..ATTEMPTS {
            let version = self.version.load(Ordering::Acquire);
            let value = copy((version & 1) as usize);
            // Who saw a byte of a later writer now sees the version that this writer started from.
            fence(Ordering::Acquire);
            if self.version.load(Ordering::Relaxed) == version {
                return Some(value);
            }
            pause();
        }
        None
    }

    /// Takes the writer's place as `me`, which is not 0.
    ///
    /// Calls `is_gone` now and then with who holds it, and takes it over if that one will touch nothing any
    /// more.
    #[inline]
    pub(crate) fn write(&self, me: u32, is_gone: impl FnMut(u32) -> bool) -> Writer<'_> {
        if !self.take(NOBODY, me) {
            self.take_patiently(me, is_gone);
        }
        let version = self.version.load(Ordering::Relaxed);
        // Who sees a byte that is written from here on sees this version, too.
        fence(Ordering::Release);
        Writer {
            slots: self,
            version,
        }
    }

    #[inline]
    fn take(&self, from: u32, me: u32) -> bool {
        self.writer
            .compare_exchange(from, me, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    #[cold]
    fn take_patiently(&self, me: u32, mut is_gone: impl FnMut(u32) -> bool) {
        let mut spins = 0;
        loop {
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
    /// The slot to read from. Nobody writes it.
    pub(crate) fn current(&self) -> usize {
        (self.version & 1) as usize
    }

    /// The slot to write. Only readers look at it, and they drop what they see.
    pub(crate) fn spare(&self) -> usize {
        self.current() ^ 1
    }

    /// Makes the spare slot current.
    pub(crate) fn publish(self) {
        let version = self.version.wrapping_add(1);
        self.slots.version.store(version, Ordering::Release);
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        self.slots.writer.store(NOBODY, Ordering::Release);
    }
}
