//! The primitives of the lock-free algorithms, made of loom's types.
//!
//! The futex is a model of the kernel's: it compares and goes to sleep under a lock, wakes only threads that
//! sleep on the same word, and has no timeouts. So a lost wake-up leaves a thread asleep for ever, which loom
//! reports as a deadlock.
//!
//! In the library, sleeping images notice an alarm at their next timeout. In the model, raising an alarm wakes
//! all threads, and later sleeps end at once.

// Each model uses a part of this, and of the sources that it includes.
#![allow(dead_code, unused_imports)]

use std::sync::Arc;
use std::time::Duration;

use loom::sync::{Condvar, Mutex, MutexGuard};

pub(crate) use loom::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering, fence};

#[derive(Default)]
struct Kernel {
    /// The address of each word that threads slept on, and their condition variable.
    beds: Vec<(usize, Arc<Condvar>)>,
    alarm: bool,
}

loom::lazy_static! {
    static ref KERNEL: Mutex<Kernel> = Mutex::new(Kernel::default());
    static ref ALARM: AtomicU32 = AtomicU32::new(0);
}

impl Kernel {
    fn enter() -> MutexGuard<'static, Self> {
        KERNEL
            .lock()
            .expect("no thread panics in the model's kernel")
    }

    fn bed(&self, word: &AtomicU64) -> Option<Arc<Condvar>> {
        let key = std::ptr::from_ref(word).addr();
        self.beds
            .iter()
            .find(|(address, _)| *address == key)
            .map(|(_, bed)| Arc::clone(bed))
    }
}

std::thread_local! {
    /// Whether light fences are left out, so that models can show that they notice that. A model runs on one thread.
    pub(crate) static LACKS_LIGHT_FENCES: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Both fences of an asymmetric pair are full ones in the model: together that is what they are.
pub(crate) fn light_fence() {
    if !LACKS_LIGHT_FENCES.get() {
        fence(Ordering::SeqCst);
    }
}

pub(crate) fn prefetch_to_write<T>(_place: *const T) {}

pub(crate) fn heavy_fence() -> bool {
    fence(Ordering::SeqCst);
    true
}

pub(crate) fn pause() {
    loom::hint::spin_loop();
}

pub(crate) fn yield_now() {
    loom::thread::yield_now();
}

pub(crate) fn sleep_while_equal(word: &AtomicU64, value: u64, _nap: Duration) -> bool {
    let mut kernel = Kernel::enter();
    if word.load(Ordering::Relaxed) as u32 != value as u32 {
        return true;
    }
    if kernel.alarm {
        drop(kernel);
        loom::thread::yield_now();
        return true;
    }
    let bed = kernel.bed(word).unwrap_or_else(|| {
        let bed = Arc::new(Condvar::new());
        kernel
            .beds
            .push((std::ptr::from_ref(word).addr(), Arc::clone(&bed)));
        bed
    });
    drop(bed.wait(kernel));
    true
}

pub(crate) fn wake(word: &AtomicU64) {
    let kernel = Kernel::enter();
    if let Some(bed) = kernel.bed(word) {
        bed.notify_all();
    }
}

/// Adds to the alarm. Its Release pairs with the Acquire in `alarm`.
pub(crate) fn raise_alarm(bits: u32) {
    ALARM.fetch_or(bits, Ordering::Release);
    let mut kernel = Kernel::enter();
    kernel.alarm = true;
    kernel.beds.iter().for_each(|(_, bed)| bed.notify_all());
}

pub(crate) fn alarm() -> u32 {
    ALARM.load(Ordering::Acquire)
}
