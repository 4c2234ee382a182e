//! A fair lock of words that are changed through a fabric only: the lock of jobs on several nodes.
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
//! 4. A node with a deadline is [`WAITING`] until its image leaves or the holder takes it, whichever comes first. An image that has
//!    left uses the node again when it is [`ABSENT`]: when it is in no queue, and nobody is going to tell it anything.
//!
//! No image of such a job fails alone, so none repairs anything.

use crate::lockfree::lock_state::{LAST, NotAcquired, POISONER, State, packed};
use coarray_fabric::AtomicOperation;
use coarray_fabric::AtomicOperation::{Add, CompareExchange, Load, Swap};

/// A node in a queue. Each image has one for waits that end with the lock, and one for waits with a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) image: usize,
    pub(crate) has_deadline: bool,
}

impl Node {
    /// Its number in the words of locks and nodes; not 0.
    fn number(self) -> u64 {
        packed(Some(2 * self.image + usize::from(self.has_deadline)))
    }

    fn numbered(number: u64) -> Option<Self> {
        let index = (number as usize).checked_sub(1)?;
        Some(Self {
            image: index / 2,
            has_deadline: index % 2 == 1,
        })
    }
}

/// The states of an image's node with a deadline.
///
/// It is in no queue.
pub(crate) const ABSENT: u64 = 0;

/// Its image waits.
pub(crate) const WAITING: u64 = 1;

/// Its image has left.
pub(crate) const LEFT: u64 = 2;

/// The holder of the lock grants it the lock, or takes it out of the queue.
pub(crate) const TAKEN: u64 = 3;

/// What an image is told when it is granted a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grant {
    /// Whether nobody is behind it.
    is_last: bool,
    is_poisoned: bool,
}

impl Grant {
    /// Its number; not 0.
    fn number(self) -> u64 {
        1 + u64::from(self.is_last) + 2 * u64::from(self.is_poisoned)
    }

    fn numbered(number: u64) -> Self {
        Self {
            is_last: (number - 1) & 1 == 1,
            is_poisoned: number > 2,
        }
    }
}

/// The words of a lock and of the images' nodes, and waiting.
pub(crate) trait Words {
    /// The number of this image.
    fn me(&self) -> usize;

    /// How often it tries again to take the lock before it queues, if nobody does.
    fn tries(&self) -> u32;

    /// An operation on the state of the lock; returns the former value, as the others do.
    fn state(&self, operation: AtomicOperation) -> u64;

    /// An operation on the word for the node behind the holder's.
    fn first(&self, operation: AtomicOperation) -> u64;

    /// An operation on the word for the node behind this one.
    fn next(&self, node: Node, operation: AtomicOperation) -> u64;

    /// An operation on the state of an image's node with a deadline.
    fn presence(&self, image: usize, operation: AtomicOperation) -> u64;

    /// Tells `image`, which waits, that it has the lock, and a number from 1 on.
    fn grant(&self, image: usize, number: u64);

    /// Waits until an image grants the lock, and returns the number.
    ///
    /// # Errors
    /// The deadline, if it counts, has passed; or the job has ended.
    fn await_grant(&self, has_deadline: bool) -> Result<u64, NotAcquired>;

    /// Called between two looks for something that another image is about to write.
    ///
    /// # Errors
    /// The job has ended.
    fn look_again(&self) -> Result<(), NotAcquired>;
}

impl State {
    /// The last node in the queue.
    pub(crate) fn last(self) -> Option<Node> {
        Node::numbered((self.0 & Self::UNPOISONED) >> LAST)
    }

    /// Held by `image`, behind which nobody waits.
    fn alone(image: usize) -> Self {
        let node = Node {
            image,
            has_deadline: false,
        };
        Self::FREE.held_by(Some(image)).with_last(node)
    }

    fn with_last(self, last: Node) -> Self {
        let others = self.0 & (!Self::UNPOISONED | ((1 << LAST) - 1));
        Self(others | last.number() << LAST)
    }
}

/// Acquires the lock: if it is held, in the order of the queue by `node`, which is in no queue, or not at all without one. Returns the
/// node behind this image's, if there is one already.
pub(crate) fn acquire<W: Words>(
    words: &W,
    node: Option<Node>,
) -> Result<Option<Node>, NotAcquired> {
    let me = words.me();
    let take = CompareExchange {
        current: State::FREE.0,
        new: State::alone(me).0,
    };
    let mut tries = 0;
    let mut seen = State(words.state(take));
    while seen != State::FREE {
        let (holder, last) = match (seen.holder(), seen.last(), seen.poisoner()) {
            (Some(holder), Some(last), _) => (holder, last),
            (.., by) => return Err(NotAcquired::Poisoned(by.unwrap_or(me))),
        };
        if holder == me {
            return Err(NotAcquired::AlreadyHeld);
        }
        let Some(node) = node else {
            return Err(NotAcquired::Busy(holder));
        };
        if last.image == holder && tries < words.tries() {
            tries += 1;
            seen = State(words.state(take));
            continue;
        }
        if node.has_deadline {
            words.presence(me, Swap(WAITING));
        }
        let join = CompareExchange {
            current: seen.0,
            new: seen.with_last(node).0,
        };
        let former = State(words.state(join));
        if former == seen {
            let tell = Swap(node.number());
            match last.image == holder {
                true => words.first(tell),
                false => words.next(last, tell),
            };
            return await_turn(words, node);
        }
        seen = match former {
            State::FREE => State(words.state(take)),
            other => other,
        };
    }
    Ok(None)
}

/// Waits in the queue until the lock is granted.
fn await_turn<W: Words>(words: &W, node: Node) -> Result<Option<Node>, NotAcquired> {
    let me = words.me();
    let leave = CompareExchange {
        current: WAITING,
        new: LEFT,
    };
    let number = match words.await_grant(node.has_deadline) {
        Err(NotAcquired::TimedOut) if words.presence(me, leave) == WAITING => {
            return Err(NotAcquired::TimedOut);
        }
        Err(NotAcquired::TimedOut) => words.await_grant(false),
        granted => granted,
    }?;
    let grant = Grant::numbered(number);
    let successor = match grant.is_last {
        true => None,
        false => Some(be_told(words, |swap| words.next(node, swap))?),
    };
    // Another image may have cleared the poison since.
    let poisoner = || State(words.state(Load)).poisoner();
    match grant.is_poisoned.then(poisoner).flatten() {
        None => Ok(successor),
        Some(by) => {
            release(words, successor, false)?;
            Err(NotAcquired::Poisoned(by))
        }
    }
}

/// Takes the node out of a word that another image has written, or is about to write.
fn be_told<W: Words>(
    words: &W,
    word: impl Fn(AtomicOperation) -> u64,
) -> Result<Node, NotAcquired> {
    loop {
        match Node::numbered(word(Swap(0))) {
            Some(node) => return Ok(node),
            None => words.look_again()?,
        }
    }
}

/// Releases the lock, which the image acquired with this successor.
pub(crate) fn release<W: Words>(
    words: &W,
    mut successor: Option<Node>,
    poison: bool,
) -> Result<(), NotAcquired> {
    let poison = poison.then(|| words.me());
    // A node whose image has left, and that comes after this image's, or after others of which all have left.
    let mut left = None;
    loop {
        let next = match (successor, left) {
            (Some(next), _) => Some(next),
            _ if free(words, left, poison) => None,
            (_, Some(left)) => Some(be_told(words, |swap| words.next(left, swap))?),
            (_, None) => Some(be_told(words, |swap| words.first(swap))?),
        };
        if let Some(Node { image, .. }) = left {
            words.presence(image, Swap(ABSENT));
        }
        let Some(next) = next else {
            return Ok(());
        };
        if !next.has_deadline || words.presence(next.image, Swap(TAKEN)) == WAITING {
            hand_over(words, next, poison);
            return Ok(());
        }
        (successor, left) = (None, Some(next));
    }
}

/// Makes `next`, which waits, the holder, and tells it so.
fn hand_over<W: Words>(words: &W, next: Node, poisoner: Option<usize>) {
    let [mine, next_holder] = [words.me(), next.image].map(|image| packed(Some(image)));
    // The lock is not poisoned while an image holds it to use it.
    let poison = State::FREE.poisoned_by(poisoner).0;
    let change = next_holder.wrapping_sub(mine).wrapping_add(poison);
    let former = State(words.state(Add(change)));
    let grant = Grant {
        is_last: former.last() == Some(next),
        is_poisoned: poisoner.or(former.poisoner()).is_some(),
    };
    words.grant(next.image, grant.number());
}

/// Makes the lock free, if no node is behind this one, or behind the holder's.
fn free<W: Words>(words: &W, node: Option<Node>, poisoner: Option<usize>) -> bool {
    let me = words.me();
    let mut seen = State::alone(me);
    loop {
        let free = State(seen.0 >> POISONER << POISONER).poisoned_by(poisoner);
        let former = State(words.state(CompareExchange {
            current: seen.0,
            new: free.0,
        }));
        if former == seen {
            return true;
        }
        let is_last = |last: Node| match node {
            Some(node) => last == node,
            None => last.image == me,
        };
        if !former.last().is_some_and(is_last) {
            return false;
        }
        // The holder came by its other node, or the poison differs: it was there when the lock was granted, or has been cleared since.
        seen = former;
    }
}
