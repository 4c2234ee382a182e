//! Threads that a controller lets run one at a time, so that a run can be repeated: tests explore schedules with it.
//!
//! What sleeps, yields or reads a clock to decide something asks here first ([`primitives`](super::primitives)). Only these, which are calls of the
//! system otherwise, ask; a thread without a controller pays a load.

use std::cell::RefCell;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// Decides when this thread runs.
pub trait Controller: Debug {
    /// As [`sleep_while_equal`](super::primitives::sleep_while_equal), by a clock of its own.
    fn sleep_while_equal(&self, word: &AtomicU64, value: u64, nap: Duration) -> bool;

    /// Lets another thread run: this one waits for what another is about to do.
    fn yield_now(&self);

    /// The time by that clock.
    fn now(&self) -> Instant;
}

thread_local! {
    static CONTROLLER: RefCell<Option<Rc<dyn Controller>>> = const { RefCell::new(None) };
}

/// Until it is dropped, this thread is controlled.
#[derive(Debug)]
#[must_use]
pub struct Controlled(());

/// Has this thread controlled.
pub fn control(controller: Rc<dyn Controller>) -> Controlled {
    CONTROLLER.set(Some(controller));
    Controlled(())
}

impl Drop for Controlled {
    fn drop(&mut self) {
        let _former = CONTROLLER.try_with(RefCell::take);
    }
}

/// Calls `body` while nothing controls this thread: it is the controller's own work.
pub fn uncontrolled(body: impl FnOnce()) {
    struct Restored(Option<Rc<dyn Controller>>);

    impl Drop for Restored {
        fn drop(&mut self) {
            CONTROLLER.set(self.0.take());
        }
    }

    let _restored = Restored(CONTROLLER.take());
    body();
}

/// What controls this thread.
#[must_use]
pub fn controller() -> Option<Rc<dyn Controller>> {
    // A destructor of another variable of the thread may ask.
    let controller = CONTROLLER.try_with(|controller| controller.borrow().clone());
    controller.ok().flatten()
}

/// To be called when this thread has looked in vain for what another one does, as a program does in a loop: a controller lets that one run first.
pub fn looked_in_vain() {
    if let Some(controller) = controller() {
        controller.yield_now();
    }
}

/// The time for a decision: of the controller, or else the real one.
#[must_use]
pub fn now() -> Instant {
    controller().map_or_else(Instant::now, |controller| controller.now())
}
