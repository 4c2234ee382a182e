//! The end of an operation: told once by who carries it out, heard by who waits for it.
//!
//! The two sides may be different threads. They share a result and a waker, and a state that says who may
//! touch the waker, after the `AtomicWaker` of the futures crate:
//!
//! ```text
//!            register                 register
//!   IDLE ---------------> REGISTERING ---------> WAITING    (back to REGISTERING to replace the waker)
//!     |                        |                    |
//!     +--------- complete -----+--------------------+-----> COMPLETE
//! ```
//!
//! Who completes swaps the state, and takes the waker only from `WAITING`. If it comes in the middle of
//! `REGISTERING`, the other side notices when it wants to go on to `WAITING`: no wake-up is lost.

use std::sync::Arc;
use std::task::Waker;

use crate::system::primitives::{AtomicU32, Ordering, UnsafeCell};

const IDLE: u32 = 0;
const REGISTERING: u32 = 1;
const WAITING: u32 = 2;
const COMPLETE: u32 = 3;

struct Shared<T> {
    state: AtomicU32,
    /// Used by the completing side before `COMPLETE`, by the waiting side from then on.
    result: UnsafeCell<Option<T>>,
    /// Used by the waiting side, but not in `WAITING`; there, whoever leaves that state may use it.
    waker: UnsafeCell<Option<Waker>>,
}

// SAFETY: the state hands the result and the waker from one thread to the other, as the comments on the
// fields say, with release and acquire.
unsafe impl<T: Send> Sync for Shared<T> {}

/// The side that carries out the operation.
pub(crate) struct Completer<T>(Arc<Shared<T>>);

/// The side that waits for the operation.
pub(crate) struct Completion<T>(Arc<Shared<T>>);

/// Both sides of an operation that begins.
pub(crate) fn completion<T>() -> (Completer<T>, Completion<T>) {
    let shared = Arc::new(Shared {
        state: AtomicU32::new(IDLE),
        result: UnsafeCell::new(None),
        waker: UnsafeCell::new(None),
    });
    (Completer(Arc::clone(&shared)), Completion(shared))
}

impl<T> Completer<T> {
    /// Ends the operation. Returns the waker of who waits, for the caller to wake.
    #[must_use = "somebody may wait to be woken"]
    pub(crate) fn complete(self, result: T) -> Option<Waker> {
        let Self(shared) = self;
        // SAFETY: the state is not yet `COMPLETE`, since this consumes the only completing side.
        shared
            .result
            .with_mut(|place| unsafe { *place = Some(result) });
        if shared.state.swap(COMPLETE, Ordering::AcqRel) != WAITING {
            return None;
        }
        // SAFETY: this has left `WAITING`, and the waiting side finds `COMPLETE`.
        shared.waker.with_mut(|place| unsafe { (*place).take() })
    }
}

impl<T> Completion<T> {
    /// Whether the operation has ended; if so, everything written before is visible.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.0.state.load(Ordering::Acquire) == COMPLETE
    }

    /// The result, once, if the operation has ended.
    pub(crate) fn take(&mut self) -> Option<T> {
        if !self.is_complete() {
            return None;
        }
        // SAFETY: in `COMPLETE` the result belongs to this side.
        self.0.result.with_mut(|place| unsafe { (*place).take() })
    }

    /// Asks for `waker` to be woken when the operation ends, in place of an earlier one. Returns true, and
    /// wakes nobody, if it has ended already.
    pub(crate) fn register(&mut self, waker: &Waker) -> bool {
        let Shared {
            state,
            waker: place,
            ..
        } = &*self.0;
        let waker = Some(waker.clone());
        let seen = state.load(Ordering::Acquire);
        if seen == COMPLETE
            || state
                .compare_exchange(seen, REGISTERING, Ordering::Acquire, Ordering::Acquire)
                .is_err()
        {
            return true;
        }
        // SAFETY: the state is not `WAITING`, and only this side would make it so.
        let former = place.with_mut(|place| unsafe { std::mem::replace(&mut *place, waker) });
        let waits = state
            .compare_exchange(REGISTERING, WAITING, Ordering::Release, Ordering::Acquire)
            .is_ok();
        drop(former);
        !waits
    }
}

impl<T> std::fmt::Debug for Completer<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Completer").finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Completion<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Completion")
            .field("is_complete", &self.is_complete())
            .finish_non_exhaustive()
    }
}
