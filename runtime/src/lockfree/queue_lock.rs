//! A fair lock: of words in shared memory, where it survives the death of any image at any instruction, or of words that are changed
//! through a fabric only.
//!
//! It is the queue lock of Mellor-Crummey and Scott (*Algorithms for scalable synchronization on shared-memory multiprocessors*,
//! 1991): an image that waits tells the one before it, which grants it the lock when it releases it. A free lock is acquired, and
//! released, by one compare-and-exchange, and nobody's help.
//!
//! There, an image has a node for each lock that it holds. Here it learns who comes behind it as soon as it has the lock, and its node
//! is free again. So who finds the holder at the end of the queue tells the lock itself, in its word `first`. `state` says who is the
//! holder and who is last, so both sides know which it is.
//!
//! A wait with a deadline has a node of its own, as in the locks of Scott and Scherer (*Scalable queue-based spin locks with timeout*,
//! 2001): an image that leaves lets the node stay in the queue, and who comes to it there takes it out.
//!
//! # Invariants
//! 1. `state` is 0, or has a poisoner alone, while the lock is free. Otherwise it names the holder and the last node in the queue, which
//!    is the holder's own if nobody waits.
//! 2. A node becomes the last by compare-and-exchange, and its image then tells the one that was the last: in `first` if that was the
//!    holder's, and else in the node. So each is told of at most one successor, in one of the two.
//! 3. The holder names its successor as the holder, and then grants it the lock. It finds whether the successor's node has been told,
//!    or is going to be: the last is another. From then on others that find the successor at the end of the queue tell the lock.
//! 4. A node with a deadline is [`WAITING`] until its image leaves or the holder marks it as [`TAKEN`], whichever comes first. An image
//!    that has left uses the node again when it is [`ABSENT`]: when it is in no queue, and nobody is going to tell it anything.
//!
//! # When images die
//! In the lock of Mellor-Crummey and Scott an image that dies after it has become the last, and before it has told anybody, cuts the
//! queue in two, as nobody knows whom it follows. Here it becomes the last by comparison, so it knows before whom it is going to follow,
//! and [records](Words::record) that in its node first. So from the last node these records lead to the holder, whoever has died
//! meanwhile. They stay as they are until the lock has another holder, and only the holder names one, or, if it is dead, who is going to
//! mend the lock (`queue_lock/mending.rs`).
//!
//! Once images have failed, who passes the lock on follows the records, and what nodes and locks have been told counts no more: who was
//! to tell may be dead, or may have told somebody else's successor. An image that waits believes only `state`: a grant may be an old one
//! of an image that was slow. So whichever instruction an image dies at, the living go on:
//! * *The holder* dies: all that wait return from their waits. Each looks for the first node whose image lives and waits, and tries to
//!   name it as the holder, with the dead one as the poisoner. One succeeds, in one compare-and-exchange. If none waits, the next image
//!   that wants the lock does this.
//! * *A waiter* dies: it is skipped when it is its turn. If it was named as the holder all the same, then whoever named it looks after
//!   that whether it has failed; and others that look at the state when they hear of the failure do so by an operation that changes it.
//!   So one of the two sees what the other did.
//! * *The holder dies while it hands over*, after `state` names the successor and before the grant: the successor, which returns from its
//!   wait like all others, finds that it is the holder.
//! * *The holder dies while it releases*, before `state` says so, or *a successor dies* before it notices: it died as the holder. In these
//!   cases the lock is poisoned without need.
//! * *Who mends the lock dies*: before the compare-and-exchange it has at most marked a node as taken, whose image then waits without its
//!   deadline for what the next to mend the lock grants it. After that it was as a holder that hands over. Nodes that were left, and
//!   that it took out, may stay marked; their images wait with deadlines by [trying again](crate::lock) from then on.
//!
//! Where images are on several nodes none fails alone, so there are no records, and each of the operations is one of the fabric.

// The path is what the name stands for anyway, also where a loom model includes this file.
#[path = "queue_lock/mending.rs"]
mod mending;
#[path = "queue_lock/queue.rs"]
mod queue;

use coarray_fabric::AtomicOperation;
use coarray_fabric::transport::signal::Signal;

use crate::lockfree::eventcount::Eventcount;
use crate::lockfree::lock_state::{Node, NotAcquired, State};
use crate::primitives::{AtomicU64, Ordering};

pub(crate) use queue::{acquire, release};

/// A lock with a queue of waiting images.
///
/// It lies in the memory that images share. All-zero bytes are a free lock.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct QueueLock {
    pub(crate) state: AtomicU64,
    /// The node behind the holder's.
    pub(crate) first: AtomicU64,
}

/// An image's nodes in queues, and how it is granted a lock.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Nodes {
    /// Grow by the number of each grant: the count by those of its node, the signal by others.
    pub(crate) granted: Eventcount,
    pub(crate) granted_from_afar: Signal,
    /// The node behind each of the two.
    pub(crate) next: [AtomicU64; 2],
    /// The node before each of the two.
    pub(crate) before: [AtomicU64; 2],
    /// Of the one with a deadline: the number of the wait, and below it the states.
    pub(crate) presence: AtomicU64,
}

/// No state: the node is in no queue.
pub(crate) const ABSENT: u64 = 0;

/// The states of an image's node with a deadline: its image waits.
pub(crate) const WAITING: u64 = 1;

/// Its image has left.
pub(crate) const LEFT: u64 = 2;

/// The holder of the lock grants it the lock, or takes it out of the queue; besides one of the others.
pub(crate) const TAKEN: u64 = 4;

pub(crate) const STATES: u64 = WAITING | LEFT | TAKEN;

/// Why an image returns from its wait without a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// Images have failed.
    ImagesFailed,
    /// The deadline has passed.
    TimedOut,
}

/// The words of a lock and of the images' nodes, and waiting.
pub(crate) trait Words {
    /// The number of this image.
    fn me(&self) -> usize;

    /// The number of images.
    fn images(&self) -> usize;

    /// How often it tries again to take the lock before it queues, if nobody does.
    fn tries(&self) -> u32;

    /// Tries that again: this operation on the state, or a look that finds that it cannot succeed. Returns the former state.
    fn try_again(&self, take: AtomicOperation) -> u64;

    /// An operation on the state of the lock; returns the former value, as the others do.
    fn state(&self, operation: AtomicOperation) -> u64;

    /// An operation on the word for the node behind the holder's.
    fn first(&self, operation: AtomicOperation) -> u64;

    /// An operation on the word for the node behind this one.
    fn next(&self, node: Node, operation: AtomicOperation) -> u64;

    /// An operation on the state of an image's node with a deadline.
    fn presence(&self, image: usize, operation: AtomicOperation) -> u64;

    /// Records that this node of this image follows another. For nothing where no image fails alone.
    fn record(&self, node: Node, before: Node);

    /// What was recorded last.
    fn recorded(&self, node: Node) -> Option<Node>;

    /// Tells `image`, which waits, that it has the lock, and a number from 1 on.
    fn grant(&self, image: usize, number: u64);

    /// The sum of the numbers that this image was told.
    fn granted(&self) -> u64;

    /// Waits until the sum is more than `before`, and returns by how much.
    ///
    /// # Errors
    /// The deadline, if it counts, has passed; or the failure epoch is no longer this one.
    fn await_grant(&self, before: u64, has_deadline: bool, failure_epoch: u32)
    -> Result<u64, Wake>;

    /// Changes whenever an image has failed. Stays 0 where none fails alone.
    fn failure_epoch(&self) -> u32;

    /// Whether any image may have failed. Once this is true it stays so.
    fn have_failed(&self) -> bool;

    /// Whether an image has failed; becomes true only when it accesses nothing any more, and after [`have_failed`](Self::have_failed).
    fn has_failed(&self, image: usize) -> bool;

    /// Called between two looks for something that another image is about to write.
    ///
    /// # Errors
    /// The job has ended.
    fn look_again(&self) -> Result<(), NotAcquired>;
}

impl QueueLock {
    /// The number of the image that failed or panicked while it held the lock, since the poison was last cleared.
    #[must_use]
    pub fn poisoner(&self) -> Option<usize> {
        State(self.state.load(Ordering::Acquire)).poisoner()
    }

    /// Clears the poison.
    pub fn clear_poison(&self) {
        // Relaxed: only the poison changes.
        self.state.fetch_and(State::UNPOISONED, Ordering::Relaxed);
    }

    /// Takes a free lock that nobody has poisoned, for image `me`: [`acquire`] by an instruction.
    #[inline]
    pub(crate) fn take_free(&self, me: usize) -> bool {
        let mine = State::alone(me);
        // Acquire pairs with the Release of the last holder, here or in an operation on the state.
        let taken = self.state.compare_exchange(
            State::FREE.0,
            mine.0,
            Ordering::Acquire,
            Ordering::Relaxed,
        );
        taken.is_ok()
    }

    /// Releases the lock, which image `me` holds, if no image waits in the queue: [`release`] by an instruction.
    #[inline]
    pub(crate) fn release_unqueued(&self, me: usize, poison: bool) -> bool {
        let mine = State::alone(me);
        let free = State::FREE.poisoned_by(poison.then_some(me));
        // Release pairs with the Acquire of the next holder, here or in an operation on the state.
        let freed =
            self.state
                .compare_exchange(mine.0, free.0, Ordering::Release, Ordering::Relaxed);
        freed.is_ok()
    }
}
