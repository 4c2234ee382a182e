//! A fair lock that survives the death of any image at any instruction.
//!
//! A free lock is acquired, and released, with one compare-and-swap. An image that finds it held spins for as long as a
//! short critical section takes, if nobody queues. Then it joins a queue and waits for an eventcount of its own, so
//! waiters do not disturb each other; the releasing image hands the lock to the first in the queue. This is the idea of the queue lock of Mellor-Crummey and Scott (*Algorithms for scalable
//! synchronization on shared-memory multiprocessors*, 1991). But theirs hangs if a waiter dies between two of its
//! instructions. So here all changes of the queue are made under a small inner lock, whose [`owner`](QueueLock) is
//! known, so that its death is noticed and repaired.
//!
//! # Invariants
//! 1. `state` alone names the holder. It goes from free to held by the compare-and-swap of the new holder; the holder
//!    itself, or the owner of the queue, makes all other changes of the holder.
//! 2. A living image whose [`QueueNode`] names the lock waits for it, or holds it and has not noticed yet. Such a node
//!    changes only under the owner.
//! 3. While a living image waits, the lock is held and marked [`QUEUED`], so its holder cannot release it without
//!    becoming the owner of the queue.
//!
//! # When images die
//! An image that learns that images have failed returns from its wait, becomes the owner, checks the queue, and waits
//! again if there is nothing to do. So whichever instruction an image dies at, a living image repairs the lock:
//! * *The holder* dies: the next owner of the queue marks the lock as poisoned, and hands it to the first living image
//!   in the queue. If none waits, the next image that wants the lock does this.
//! * *A waiter* dies: it is skipped when it is its turn.
//! * *The owner* dies: an image that wants to become the owner sees that, and takes its place by compare-and-swap. The
//!   links of the queue may be half-changed, so they are rebuilt from the nodes, each of which names its lock and its
//!   ticket. Only its own image writes a node, and that image lives.
//! * *The owner dies while it hands over*, after `state` names the successor and before the successor's eventcount is
//!   advanced: the successor, which returns from its wait like all others, finds that it is the holder.
//! * *The holder dies while it releases*, before `state` says so, or *a successor dies* before it notices: it died as
//!   the holder. In these cases the lock is poisoned without need.
//! * *The owner dies after it marked the lock as queued*, and joined nothing: the next release finds an empty queue. If
//!   the lock was free, the next image that wants it becomes the owner first.

// The path is what the name stands for anyway, also where a loom model includes this file.
#[path = "queue_lock/queue.rs"]
mod queue;

use std::time::Duration;

use crate::lockfree::eventcount::{Eventcount, SpinPolicy};
use crate::lockfree::lock_state::{HOLDER, Link, NotAcquired, State, packed};
use crate::primitives::{AtomicU64, Ordering, pause, sleep_while_equal, wake, yield_now};

/// How long an image sleeps before it checks whether the owner of the queue has failed.
const PARK_TIMEOUT: Duration = Duration::from_millis(50);

/// A lock with a queue of waiting images.
///
/// It lies in the memory that images share. All-zero bytes are a free lock.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct QueueLock {
    state: AtomicU64,
    /// The image that changes the queue, plus one, and whether others sleep until they can.
    owner: AtomicU64,
    head: Link,
    tail: Link,
    /// How many images have joined the queue; numbers the tickets.
    tickets: AtomicU64,
    /// In jobs on several nodes, which use no other word but `state`: the successor of the holder.
    first: AtomicU64,
}

/// One image's node in a queue; it waits in one at a time.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct QueueNode {
    /// The number of the last wait that ended with the lock.
    granted: Eventcount,
    /// The number of the last wait.
    number: AtomicU64,
    /// The lock that it waits for; 0 for none.
    lock: AtomicU64,
    /// Its ticket there.
    ticket: AtomicU64,
    next: Link,
}

/// Rounds of spinning before an image joins the queue: about what it costs two images to use the queue.
const SPINS: u32 = 100;

/// Images sleep until the owner leaves the queue.
const SLEEPING: u64 = 1 << 31;

/// An image that acquires or releases a lock, and what it knows of the others.
pub(crate) trait Acquirer {
    /// Its number.
    fn me(&self) -> usize;

    /// Identifies the lock; not 0, and the same for all images.
    fn lock(&self) -> u64;

    /// How many images there are.
    fn images(&self) -> usize;

    /// The node of an image.
    fn node(&self, image: usize) -> &QueueNode;

    /// Whether an image has failed; becomes true only when it accesses nothing any more.
    fn has_failed(&self, image: usize) -> bool;

    /// Whether the job has ended.
    fn has_ended(&self) -> bool;

    /// How to wait for the owner of the queue.
    fn patience(&self) -> SpinPolicy;

    /// Called after spinning in vain. Returns how often to yield before sleeping.
    fn yields(&self) -> u32 {
        self.patience().yields
    }

    /// Yields the core. Returns whether to do so again.
    fn yield_core(&self) -> bool {
        yield_now();
        true
    }
}

/// An image that acquires a lock of its own node, and waits for it itself.
pub(crate) trait Waiter: Acquirer {
    /// Changes whenever an image has failed.
    fn failure_epoch(&self) -> u32;

    /// Waits until `granted` has reached `number`, or the failure epoch is no longer `epoch`.
    fn wait(&self, granted: &Eventcount, number: u64, failure_epoch: u32) -> Result<(), Wake>;
}

/// Why an image returns from its wait without the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// Images have failed.
    ImagesFailed,
    /// The deadline has passed.
    TimedOut,
}

impl QueueLock {
    /// The offset of the word that names the holder.
    pub(crate) const STATE: usize = std::mem::offset_of!(Self, state);

    /// The offset of the word for its successor.
    pub(crate) const FIRST: usize = std::mem::offset_of!(Self, first);

    /// The number of the image that holds the lock at present.
    #[must_use]
    pub fn holder(&self) -> Option<usize> {
        self.load().holder()
    }

    /// The number of the image that failed or panicked while it held the lock, since the poison was last cleared.
    #[must_use]
    pub fn poisoner(&self) -> Option<usize> {
        self.load().poisoner()
    }

    /// Clears the poison.
    pub fn clear_poison(&self) {
        // Relaxed: only the poison changes, which guards nothing.
        self.state.fetch_and(State::UNPOISONED, Ordering::Relaxed);
    }

    /// Takes a free lock that nobody has poisoned, for image `me`.
    #[inline]
    pub(crate) fn take_free(&self, me: usize) -> bool {
        let mine = State::FREE.held_by(Some(me));
        // Acquire pairs with the Release of the last holder in `release_unqueued` and `update`.
        let taken = self.state.compare_exchange(
            State::FREE.0,
            mine.0,
            Ordering::Acquire,
            Ordering::Relaxed,
        );
        taken.is_ok()
    }

    /// Acquires the lock if no image holds it, after [`take_free`](Self::take_free) has failed.
    #[cold]
    pub(crate) fn try_slowly(&self, user: &impl Acquirer) -> Result<(), NotAcquired> {
        let state = self.load();
        match (state.holder(), state.poisoner()) {
            (Some(holder), _) if holder == user.me() => Err(NotAcquired::AlreadyHeld),
            (Some(holder), _) if !user.has_failed(holder) => Err(NotAcquired::Busy(holder)),
            (None, Some(by)) if !state.is_queued() => Err(NotAcquired::Poisoned(by)),
            _ => {
                self.seize(user)?;
                let entered = self.enter(user);
                self.leave();
                entered
            }
        }
    }

    /// Acquires the lock in the order of the queue, after [`take_free`](Self::take_free) has failed.
    #[cold]
    pub(crate) fn lock_slowly(&self, user: &impl Waiter) -> Result<(), NotAcquired> {
        match self.try_slowly(user) {
            Err(NotAcquired::Busy(_)) => self.queue_up(user),
            other => other,
        }
    }

    fn queue_up(&self, user: &impl Waiter) -> Result<(), NotAcquired> {
        if self.spin(user) {
            return Ok(());
        }
        // An image that fails from here on changes the epoch, and so ends the wait.
        let failure_epoch = user.failure_epoch();
        match self.take_or_join(user)? {
            Some(number) => self.await_turn(user, number, failure_epoch),
            None => Ok(()),
        }
    }

    /// Spins until no image holds the lock, and acquires it. Gives up soon, and at once if images queue: they came first.
    fn spin(&self, user: &impl Waiter) -> bool {
        for _ in 0..user.patience().spins.min(SPINS) {
            // Relaxed: `take_free` acquires.
            let state = State(self.state.load(Ordering::Relaxed));
            if state.is_queued() {
                return false;
            }
            if state.holder().is_none() {
                return self.take_free(user.me());
            }
            pause();
        }
        false
    }

    /// Acquires the lock if no image holds it. Otherwise joins the queue, and returns the number of the wait.
    fn take_or_join(&self, user: &impl Acquirer) -> Result<Option<u64>, NotAcquired> {
        self.seize(user)?;
        let outcome = match self.enter(user) {
            Ok(()) => Ok(None),
            Err(NotAcquired::Busy(_)) => Ok(Some(self.join(user))),
            Err(error) => Err(error),
        };
        self.leave();
        outcome
    }

    /// Waits until the lock is handed over.
    fn await_turn(
        &self,
        user: &impl Waiter,
        number: u64,
        mut failure_epoch: u32,
    ) -> Result<(), NotAcquired> {
        let node = user.node(user.me());
        while let Err(wake) = user.wait(&node.granted, number, failure_epoch) {
            failure_epoch = user.failure_epoch();
            self.seize(user)?;
            if let Some(holder) = self.holder()
                && user.has_failed(holder)
            {
                self.pass_on(user, Some(holder));
            }
            let mine = self.holder() == Some(user.me());
            if mine {
                node.lock.store(0, Ordering::Relaxed);
            } else if wake == Wake::TimedOut {
                self.withdraw(user);
            }
            self.leave();
            if mine {
                break;
            }
            if wake == Wake::TimedOut {
                return Err(NotAcquired::TimedOut);
            }
        }
        match self.poisoner() {
            Some(by) => {
                self.unlock(user, false);
                Err(NotAcquired::Poisoned(by))
            }
            None => Ok(()),
        }
    }

    /// Releases the lock, which image `me` holds, if no image waits in the queue.
    #[inline]
    pub(crate) fn release_unqueued(&self, me: usize, poison: bool) -> bool {
        let mine = State::FREE.held_by(Some(me));
        let free = State::FREE.poisoned_by(poison.then_some(me));
        // Release pairs with the Acquire of the next holder in `take_free` and `load`.
        let freed =
            self.state
                .compare_exchange(mine.0, free.0, Ordering::Release, Ordering::Relaxed);
        freed.is_ok()
    }

    /// Releases the lock, which the image holds.
    pub(crate) fn unlock(&self, user: &impl Acquirer, poison: bool) {
        if !self.release_unqueued(user.me(), poison) {
            self.unlock_slowly(user, poison);
        }
    }

    /// As [`unlock`](Self::unlock), after [`release_unqueued`](Self::release_unqueued) has failed.
    #[cold]
    pub(crate) fn unlock_slowly(&self, user: &impl Acquirer, poison: bool) {
        // Once the job has ended no image gets the lock any more.
        if self.seize(user).is_ok() {
            self.pass_on(user, poison.then_some(user.me()));
            self.leave();
        }
    }

    #[inline]
    pub(crate) fn load(&self) -> State {
        State(self.state.load(Ordering::Acquire))
    }

    #[inline]
    fn update(&self, change: impl Fn(State) -> State) {
        // The update never fails.
        let _ = self
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| {
                Some(change(State(state)).0)
            });
    }

    /// Becomes the owner of the queue, which it must [`leave`](Self::leave) in a few instructions.
    #[inline]
    fn seize(&self, user: &impl Acquirer) -> Result<(), NotAcquired> {
        let mine = packed(Some(user.me()));
        let spins = user.patience().spins;
        let (mut tries, mut yields) = (0, None);
        loop {
            let seen = match self.replace_owner(0, mine) {
                Ok(_) => return Ok(()),
                Err(seen) => seen,
            };
            if user.has_failed((seen & HOLDER) as usize - 1) {
                // The sleepers still have to be woken.
                if self.replace_owner(seen, mine | seen & SLEEPING).is_ok() {
                    self.repair(user);
                    return Ok(());
                }
            } else if user.has_ended() {
                return Err(NotAcquired::Ended);
            } else if tries < spins {
                pause();
                tries += 1;
            } else if let left @ 1.. = yields.get_or_insert_with(|| user.yields()) {
                *left = if user.yield_core() { *left - 1 } else { 0 };
            } else if seen & SLEEPING != 0 || self.replace_owner(seen, seen | SLEEPING).is_ok() {
                sleep_while_equal(&self.owner, seen | SLEEPING, PARK_TIMEOUT);
            }
        }
    }

    #[inline]
    fn replace_owner(&self, old: u64, new: u64) -> Result<u64, u64> {
        self.owner
            // Acquire pairs with the Release in `leave`, and with that of an owner that died: the nodes it wrote are
            // visible.
            .compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire)
    }

    #[inline]
    fn leave(&self) {
        // Release pairs with the Acquire of the next owner; Acquire with the image that set the bit.
        if self.owner.swap(0, Ordering::AcqRel) & SLEEPING != 0 {
            wake(&self.owner);
        }
    }
}
