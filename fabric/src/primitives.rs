//! The few operations the lock-free algorithms are built from.
//!
//! `rendezvous.rs`, `wait.rs` and `agreement.rs` name nothing else. The model-checking tests compile
//! those same files against a `primitives` module made of loom's types.

use std::time::Duration;

pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How long a sleeper stays in the kernel before it looks again whether the job has ended.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// Tells the core that this is a spin loop, so that the writer gets the cache line.
#[inline]
pub(crate) fn pause() {
    std::hint::spin_loop();
}

/// Lets another image run on this core.
pub(crate) fn yield_now() {
    std::thread::yield_now();
}

/// Sleeps while `word` holds `value`, at most one heartbeat long; may wake early.
pub(crate) fn sleep_while_equal(word: &AtomicU32, value: u32) {
    let timeout = rustix::thread::Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(HEARTBEAT.subsec_nanos()),
    };
    // Every outcome (woken, value changed, interrupted, timed out) sends the caller back to its check.
    let _ = rustix::thread::futex::wait(
        word,
        rustix::thread::futex::Flags::empty(),
        value,
        Some(&timeout),
    );
}

/// Wakes the image that sleeps on `word`.
#[cold]
pub(crate) fn wake(word: &AtomicU32) {
    // An error would mean that nobody can sleep on this word, so there is nobody to wake.
    let _ = rustix::thread::futex::wake(word, rustix::thread::futex::Flags::empty(), 1);
}
