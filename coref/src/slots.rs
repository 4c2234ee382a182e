//! A seqlock-like double buffer: readers copy the current slot of two while a writer fills the other.
//!
//! A version counts the published values; slot `version & 1` is current.
//!
//! ```text
//! reader                               writer
//! reads version v                      takes the write lock
//! copies slot v & 1                    fills slot (v + 1) & 1
//! tries again if the version changed   publishes version v + 1, releases the lock
//! ```
//!
//! A writer that is killed at any point leaves a complete value in the current slot, and readers never wait for a writer that
//! is preempted.
//!
//! [`DoubleBuffer`] is the algorithm. Its words are [`Slots`] in memory that all images share, and else those of `fabric_slots.rs`.
//!
//! The check of the version is that of a sequence lock (Lameter, *Effective Synchronization on Linux/NUMA Systems*, 2005), with
//! the fences of Boehm (*Can Seqlocks Get Along With Programming Language Memory Models?*, 2012); the second slot is Lamport's
//! (*Concurrent Reading and Writing*, 1977).

use std::mem::MaybeUninit;

use crate::primitives::{AtomicU32, AtomicU64, Ordering, fence, pause};

/// No writer's number.
pub(crate) const NOBODY: u32 = 0;

/// How often a reader tries before it takes the write lock for a moment.
const ATTEMPTS: u32 = 16;

/// How often a writer looks for the lock before it asks after the holder.
const SPINS: u32 = 100;

/// What is known of the writer that holds the lock.
pub(crate) enum Holder {
    /// It writes, or has written by now.
    Writes,
    /// It touches nothing any more, and everything that it wrote happened before.
    IsGone,
    /// It may write for ever: the job has ended, and this image unwinds.
    MayNeverRelease,
}

/// A `T` that is loaded, and replaced under a write lock.
///
/// # Safety
/// The first slot holds a complete `T` at first, and nobody else changes words and slots. Then what is said of the methods holds.
pub(crate) unsafe trait DoubleBuffer<T> {
    /// What the image holds while it writes.
    type Writing;

    /// The version. What its writer wrote is visible.
    fn version(&self) -> u64;

    /// The version, for a reader that has copied a slot: if the copy has a byte of a writer, at least the version which that one began
    /// from.
    fn version_after_copy(&self) -> u64;

    /// The bytes in a slot; a mixture, if a writer is in it meanwhile.
    fn copy(&self, slot: usize) -> MaybeUninit<T>;

    /// Writes to a slot. Called by the holder of the lock only, for the slot that is not current.
    fn fill(&self, slot: usize, value: &T);

    /// Sets the version, after everything that the image has written.
    fn publish(&self, version: u64);

    /// Prepares for writing: nothing of the program runs while the result lives.
    fn prepare(&self) -> Self::Writing;

    /// Who holds the lock.
    fn writer(&self) -> u32;

    /// Takes the lock from `holder`, or if it is [`NOBODY`]'s. What the last one wrote is visible then.
    fn take(&self, holder: u32) -> bool;

    /// Gives the lock back.
    fn release(&self);

    /// Asks after the holder of the lock, and gives it time. Unwinds if the job has ended, unless the image does so already.
    fn ask_after(&self, holder: u32) -> Holder;

    /// The current value; none if others published during every attempt.
    #[inline]
    fn read(&self) -> Option<T> {
        for _ in 0..ATTEMPTS {
            let version = self.version();
            let value = self.copy((version & 1) as usize);
            if self.version_after_copy() == version {
                // SAFETY: the slot held a complete `T` when `version` was published, and no writer has entered it since: that writer
                // began from `version + 1` or later.
                return Some(unsafe { value.assume_init() });
            }
            pause();
        }
        None
    }

    /// The current value.
    #[inline]
    fn load(&self) -> T {
        match self.read() {
            Some(value) => value,
            None => self.update(|_| None),
        }
    }

    /// Replaces the value by the one that `change` returns, if it returns one; returns the old one.
    #[inline]
    fn update(&self, change: impl FnOnce(&T) -> Option<T>) -> T {
        let _writing = self.prepare();
        if !self.take(NOBODY)
            && let Some(last) = self.wait_and_take()
        {
            return last;
        }
        let version = self.version();
        // SAFETY: the current slot holds the value that was published last, or the first one: a complete `T`. Nobody writes to it
        // while this image holds the lock.
        let old = unsafe { self.copy((version & 1) as usize).assume_init() };
        if let Some(new) = change(&old) {
            let next = version.wrapping_add(1);
            self.fill((next & 1) as usize, &new);
            self.publish(next);
        }
        self.release();
        old
    }

    /// Waits for the lock, and takes it. Returns the last value if it will never have it; nobody reads a new one any more.
    #[cold]
    fn wait_and_take(&self) -> Option<T> {
        let mut spins = 0;
        loop {
            let holder = self.writer();
            if holder == NOBODY {
                if self.take(NOBODY) {
                    return None;
                }
            } else if spins < SPINS {
                spins += 1;
                pause();
            } else {
                match self.ask_after(holder) {
                    Holder::IsGone if self.take(holder) => return None,
                    Holder::MayNeverRelease => {
                        if let Some(last) = self.read() {
                            return Some(last);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Which slot is current, and which image may write the other: words in memory that all images share.
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

    #[inline]
    pub(crate) fn version(&self) -> u64 {
        // Pairs with the Release in `publish`: the slot of that version is complete.
        self.version.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn version_after_copy(&self) -> u64 {
        // Pairs with the fence in `before_filling`: whoever read a byte of a writer loads at least the version that it began from.
        fence(Ordering::Acquire);
        self.version.load(Ordering::Relaxed)
    }

    /// Called between the load of the version and the first store to a slot.
    #[inline]
    pub(crate) fn before_filling(&self) {
        // Pairs with the fence in `version_after_copy`.
        fence(Ordering::Release);
    }

    #[inline]
    pub(crate) fn publish(&self, version: u64) {
        // Pairs with the Acquire in `version`: the slot is complete before it is current.
        self.version.store(version, Ordering::Release);
    }

    #[inline]
    pub(crate) fn writer(&self) -> u32 {
        // Relaxed: `take` orders what follows.
        self.writer.load(Ordering::Relaxed)
    }

    /// Gives the lock of `holder` to `me`.
    #[inline]
    pub(crate) fn take(&self, holder: u32, me: u32) -> bool {
        // Acquire pairs with the Release in `release`: this writer sees the last one's version and slots. `ask_after` has acquired what a
        // holder wrote that is gone.
        let taken = self
            .writer
            .compare_exchange(holder, me, Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok()
    }

    #[inline]
    pub(crate) fn release(&self) {
        // Pairs with the Acquire in `take`.
        self.writer.store(NOBODY, Ordering::Release);
    }
}
