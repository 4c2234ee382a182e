//! The few operations the lock-free algorithms are built from.
//!
//! `eventcount.rs`, `arrival.rs`, `checked_barrier.rs`, `barrier/`, `agreement.rs`, `queue_lock.rs`, `posts.rs`, `sleep.rs` and
//! `completion.rs` name nothing else. The model-checking tests compile those same files against a `primitives` module made of
//! loom's types.

use std::time::Duration;

use rustix::io::Errno;
use rustix::thread::{Timespec, futex};

pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Memory that an algorithm lets one thread at a time use.
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    /// Passes on a pointer that is valid while no other thread uses the cell.
    #[inline]
    pub(crate) fn with_mut<R>(&self, use_it: impl FnOnce(*mut T) -> R) -> R {
        use_it(self.0.get())
    }
}

/// Tells the core that this is a spin loop, so that the writer gets the cache line.
#[inline]
pub fn pause() {
    std::hint::spin_loop();
}

/// Lets another image run on this core.
pub fn yield_now() {
    std::thread::yield_now();
}

/// Sleeps while `word` holds `value`, at most for `nap`; may wake early. Returns false if nobody woke it
/// during the whole nap.
pub fn sleep_while_equal(word: &AtomicU64, value: u64, nap: Duration) -> bool {
    let nap = Timespec {
        tv_sec: nap.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: i64::from(nap.subsec_nanos()),
    };
    // Every other outcome (woken, value changed, interrupted) sends the caller back to its check.
    futex::wait(
        low_half(word),
        futex::Flags::empty(),
        value as u32,
        Some(&nap),
    ) != Err(Errno::TIMEDOUT)
}

/// Wakes all images that sleep on `word`.
#[cold]
#[inline(never)]
pub fn wake(word: &AtomicU64) {
    // An error would mean that nobody can sleep on this word, so there is nobody to wake.
    let _ = futex::wake(low_half(word), futex::Flags::empty(), i32::MAX as u32);
}

/// The half of a word that changes with every count, which is as much as the kernel compares.
fn low_half(word: &AtomicU64) -> &AtomicU32 {
    let half = std::ptr::from_ref(word).cast::<AtomicU32>();
    let index = usize::from(cfg!(target_endian = "big"));
    // SAFETY: a 64-bit word holds two 32-bit words at most as aligned. The kernel alone reads this one.
    unsafe { &*half.add(index) }
}
