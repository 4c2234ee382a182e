//! The completion of one operation: a one-shot channel for its result, with a waker.
//!
//! The two sides may be on different threads. They share a result, a waker, and a state that says which side may access the waker,
//! after `AtomicWaker` of the crate `futures`:
//!
//! ```text
//!            register                 register
//!   IDLE ---------------> REGISTERING ---------> WAITING    (back to REGISTERING to replace the waker)
//!     |                        |                    |
//!     +--------- complete -----+--------------------+-----> COMPLETE
//! ```
//!
//! `complete` swaps the state, and takes the waker only if the state was `WAITING`. If it finds `REGISTERING`, the waiting side fails to go on
//! to `WAITING` and returns that the operation is complete: no wake-up is lost.

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
    /// Used by the waiting side in all states but `WAITING`; the side that moves the state out of `WAITING` then owns it.
    waker: UnsafeCell<Option<Waker>>,
}

// SAFETY: a shared `Shared<T>` lets threads access `result: T`, which is `Send`, and the waker, which is `Send`. Only one side accesses each
// at a time, as the comments on the fields say; the release and acquire of `state` order these accesses.
unsafe impl<T: Send> Sync for Shared<T> {}

/// The side that completes the operation.
pub struct Completer<T>(Arc<Shared<T>>);

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
    /// Completes the operation. Returns the registered waker, which the caller wakes.
    #[must_use = "a task may wait to be woken"]
    pub fn complete(self, result: T) -> Option<Waker> {
        let Self(shared) = self;
        // SAFETY: the state is not yet `COMPLETE`, since this consumes the only completing side.
        shared
            .result
            .with_mut(|place| unsafe { *place = Some(result) });
        // Release: pairs with the acquire loads of `COMPLETE`, which then see the result. Acquire: pairs with the release to `WAITING`, so that
        // this side sees the waker.
        if shared.state.swap(COMPLETE, Ordering::AcqRel) != WAITING {
            return None;
        }
        // SAFETY: this swap moved the state out of `WAITING`, so the waker belongs to this side; the waiting side finds `COMPLETE` and does
        // not access it.
        shared.waker.with_mut(|place| unsafe { (*place).take() })
    }
}

impl<T> Completion<T> {
    /// Whether this is the side that waits for what `completer` completes.
    pub(crate) fn is_of(&self, completer: &Completer<T>) -> bool {
        Arc::ptr_eq(&self.0, &completer.0)
    }

    /// Whether the operation is complete; if so, everything written before is visible.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        // Pairs with the release in `complete`.
        self.0.state.load(Ordering::Acquire) == COMPLETE
    }

    /// The result, once, if the operation is complete.
    pub(crate) fn take(&mut self) -> Option<T> {
        if !self.is_complete() {
            return None;
        }
        // SAFETY: in `COMPLETE` the result belongs to this side.
        self.0.result.with_mut(|place| unsafe { (*place).take() })
    }

    /// Registers `waker` in place of an earlier one, to be woken on completion. Returns true, and wakes nothing, if the operation is complete
    /// already.
    pub(crate) fn register(&mut self, waker: &Waker) -> bool {
        let Shared {
            state,
            waker: place,
            ..
        } = &*self.0;
        let waker = Some(waker.clone());
        // Both acquires pair with the release in `complete`: after true the result is visible.
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
        // Release: pairs with the acquire in `complete`, which takes the waker.
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
