//! The operations that lock-free algorithms are built from: atomics, fences, a futex, pause and yield.
//!
//! The algorithms in `lockfree/` of the runtime, and `completion.rs`, use nothing else. Their loom models compile the same files with another module
//! of this name, made of loom's types.

use std::time::Duration;

use rustix::io::Errno;
use rustix::thread::{Timespec, futex};

use super::controlled::controller;

pub use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering, fence};

pub use super::asymmetric_fence::{heavy_fence, light_fence};

/// Memory that an algorithm lets one thread at a time access.
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    /// Calls `use_it` with a pointer to the contents, which is valid while no other thread accesses the cell.
    #[inline]
    pub(crate) fn with_mut<R>(&self, use_it: impl FnOnce(*mut T) -> R) -> R {
        use_it(self.0.get())
    }
}

/// The processor's hint for spin loops.
#[inline]
pub fn pause() {
    std::hint::spin_loop();
}

/// Asks the processor for the line at `place`, which this thread is about to write. Stores leave in their order, each when its line has come; so
/// several lines are on their way at the same time. Nothing is accessed, wherever that is.
#[inline(always)]
pub fn prefetch_to_write<T>(place: *const T) {
    // SAFETY: a prefetch changes no memory and no register, and never faults. Processors without `prefetchw` take it for no operation.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        std::arch::asm!("prefetchw [{place}]", place = in(reg) place, options(nostack, preserves_flags, readonly));
    }
    // SAFETY: as on x86.
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    unsafe {
        std::arch::asm!("prfm pstl1keep, [{place}]", place = in(reg) place, options(nostack, preserves_flags, readonly));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = place;
}

/// As [`prefetch_to_write`], for a line that this thread is about to read.
#[inline(always)]
pub fn prefetch_to_read<T>(place: *const T) {
    // SAFETY: as above.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        std::arch::asm!("prefetcht0 [{place}]", place = in(reg) place, options(nostack, preserves_flags, readonly));
    }
    // SAFETY: as above.
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{place}]", place = in(reg) place, options(nostack, preserves_flags, readonly));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = place;
}

/// Yields the core to other threads.
pub fn yield_now() {
    match controller() {
        Some(controller) => controller.yield_now(),
        None => std::thread::yield_now(),
    }
}

/// Sleeps for about so long, because another thread is about to do what this one waits for.
pub fn nap(length: Duration) {
    match controller() {
        Some(controller) => controller.yield_now(),
        None => std::thread::sleep(length),
    }
}

/// A futex wait: sleeps while `word` holds `value`, at most for `nap`; may wake early. Returns false if it timed out.
pub fn sleep_while_equal(word: &AtomicU64, value: u64, nap: Duration) -> bool {
    match controller() {
        Some(controller) => controller.sleep_while_equal(word, value, nap),
        None => sleep_on_futex(word, value, nap),
    }
}

/// As [`sleep_while_equal`], whatever controls this thread.
pub fn sleep_on_futex(word: &AtomicU64, value: u64, nap: Duration) -> bool {
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
