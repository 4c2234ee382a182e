//! What `rendezvous.rs`, `wait.rs` and `agreement.rs` are built from, made of loom's types.
//!
//! The futex is a model of the kernel's: it compares and goes to sleep under a lock, wakes only who
//! sleeps on the very word, and has no heartbeat. A wake-up that the algorithms lose thus leaves a thread
//! asleep for good, which loom reports as a deadlock.

// Each model uses a part of this, and of the sources that it includes.
#![allow(dead_code)]

use std::sync::Arc;

use loom::sync::{Condvar, Mutex, MutexGuard};

pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

#[derive(Default)]
struct Kernel {
    /// For each word that somebody slept on: its address, and where they sleep.
    beds: Vec<(usize, Arc<Condvar>)>,
    job_ended: bool,
}

loom::lazy_static! {
    static ref KERNEL: Mutex<Kernel> = Mutex::new(Kernel::default());
    static ref JOB_ENDED: AtomicU32 = AtomicU32::new(0);
}

impl Kernel {
    fn enter() -> MutexGuard<'static, Self> {
        KERNEL
            .lock()
            .expect("no thread panics in the model's kernel")
    }

    fn bed(&self, word: &AtomicU32) -> Option<Arc<Condvar>> {
        let key = std::ptr::from_ref(word).addr();
        self.beds
            .iter()
            .find(|(address, _)| *address == key)
            .map(|(_, bed)| Arc::clone(bed))
    }
}

pub(crate) fn pause() {
    loom::hint::spin_loop();
}

pub(crate) fn yield_now() {
    loom::thread::yield_now();
}

pub(crate) fn sleep_while_equal(word: &AtomicU32, value: u32) {
    let mut kernel = Kernel::enter();
    // The heartbeat of the real sleep finds out that the job has ended; here, whoever ends it wakes all.
    if kernel.job_ended || word.load(Ordering::Relaxed) != value {
        return;
    }
    let bed = kernel.bed(word).unwrap_or_else(|| {
        let bed = Arc::new(Condvar::new());
        kernel
            .beds
            .push((std::ptr::from_ref(word).addr(), Arc::clone(&bed)));
        bed
    });
    drop(bed.wait(kernel));
}

pub(crate) fn wake(word: &AtomicU32) {
    let kernel = Kernel::enter();
    if let Some(bed) = kernel.bed(word) {
        bed.notify_one();
    }
}

/// Ends the job, as an image does that finds a mismatch.
pub(crate) fn end_job() {
    JOB_ENDED.store(1, Ordering::Release);
    let mut kernel = Kernel::enter();
    kernel.job_ended = true;
    kernel.beds.iter().for_each(|(_, bed)| bed.notify_all());
}

/// Whether the job has ended.
pub(crate) fn job_has_ended() -> bool {
    JOB_ENDED.load(Ordering::Acquire) != 0
}
