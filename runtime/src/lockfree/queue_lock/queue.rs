//! Acquiring a lock in the order of its queue, and releasing it.

use coarray_fabric::AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap};

use crate::lockfree::lock_state::{Node, NotAcquired, State, packed};
use crate::lockfree::queue_lock::mending::{mended, pass_on};
use crate::lockfree::queue_lock::{LEFT, STATES, TAKEN, WAITING, Wake, Words};

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

/// Acquires the lock: if it is held, in the order of the queue by `node`, which is in no queue, or not at all without one. Returns the
/// node behind this image's, if there is one already.
pub(crate) fn acquire<W: Words>(
    words: &W,
    node: Option<Node>,
) -> Result<Option<Node>, NotAcquired> {
    let me = words.me();
    // An image that fails from here on changes the epoch, and so ends the wait.
    let failure_epoch = words.failure_epoch();
    let take = CompareExchange {
        current: State::FREE.0,
        new: State::alone(me).0,
    };
    let take_or = |seen| match seen {
        State::FREE => State(words.state(take)),
        other => other,
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
        if words.has_failed(holder) {
            seen = take_or(pass_on(words, seen, Some(holder)));
            continue;
        }
        let Some(node) = node else {
            return Err(NotAcquired::Busy(holder));
        };
        if last.image == holder && tries < words.tries() {
            tries += 1;
            seen = State(words.try_again(take));
            continue;
        }
        let wait = Wait {
            node,
            presence: if node.has_deadline { appear(words) } else { 0 },
            granted: words.granted(),
            failure_epoch,
        };
        words.record(node, last);
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
            return await_turn(words, wait);
        }
        seen = take_or(former);
    }
    Ok(None)
}

/// Marks this image's node with a deadline as waiting, in a wait with a number of its own; returns the mark.
fn appear<W: Words>(words: &W) -> u64 {
    let me = words.me();
    let waiting = (words.presence(me, Load) | STATES) + 1 + WAITING;
    words.presence(me, Swap(waiting));
    waiting
}

/// A wait, as it was before the node was in the queue.
struct Wait {
    node: Node,
    /// The mark of a node with a deadline.
    presence: u64,
    granted: u64,
    failure_epoch: u32,
}

/// Waits in the queue until the lock is granted.
fn await_turn<W: Words>(words: &W, mut wait: Wait) -> Result<Option<Node>, NotAcquired> {
    let me = words.me();
    let mut has_deadline = wait.node.has_deadline;
    loop {
        match words.await_grant(wait.granted, has_deadline, wait.failure_epoch) {
            Ok(number) if !words.have_failed() => {
                return take_over(words, wait.node, Grant::numbered(number));
            }
            Err(Wake::TimedOut) => {
                let leave = CompareExchange {
                    current: wait.presence,
                    new: wait.presence - WAITING + LEFT,
                };
                if words.presence(me, leave) == wait.presence {
                    return Err(NotAcquired::TimedOut);
                }
                // It is taken.
                has_deadline = false;
            }
            Ok(_) | Err(Wake::ImagesFailed) => {
                wait.granted = words.granted();
                wait.failure_epoch = words.failure_epoch();
                let state = mended(words);
                if state.holder() == Some(me) {
                    return refuse_poisoned(words, state.poisoner(), None);
                }
            }
        }
    }
}

/// Has been granted the lock, and looks who is behind.
fn take_over<W: Words>(words: &W, node: Node, grant: Grant) -> Result<Option<Node>, NotAcquired> {
    let successor = match grant.is_last {
        true => None,
        false => be_told(words, |swap| words.next(node, swap))?,
    };
    // Another image may have cleared the poison since.
    let poisoner = || State(words.state(Load)).poisoner();
    refuse_poisoned(words, grant.is_poisoned.then(poisoner).flatten(), successor)
}

/// Returns the successor; or releases the lock if it is poisoned.
fn refuse_poisoned<W: Words>(
    words: &W,
    poisoner: Option<usize>,
    successor: Option<Node>,
) -> Result<Option<Node>, NotAcquired> {
    match poisoner {
        None => Ok(successor),
        Some(by) => {
            release(words, successor, false)?;
            Err(NotAcquired::Poisoned(by))
        }
    }
}

/// Takes the node out of a word that another image has written, or is about to write. None if images have failed: then it may be dead,
/// and the word may be of another queue.
fn be_told<W: Words>(
    words: &W,
    word: impl Fn(coarray_fabric::AtomicOperation) -> u64,
) -> Result<Option<Node>, NotAcquired> {
    loop {
        let told = Node::numbered(word(Swap(0)));
        if words.have_failed() {
            return Ok(None);
        }
        if told.is_some() {
            return Ok(told);
        }
        words.look_again()?;
    }
}

/// Releases the lock, which the image acquired with this successor.
pub(crate) fn release<W: Words>(
    words: &W,
    successor: Option<Node>,
    poison: bool,
) -> Result<(), NotAcquired> {
    let me = words.me();
    let poison = poison.then_some(me);
    if !words.have_failed() && release_as_told(words, successor, poison)? {
        return Ok(());
    }
    let mut seen = State(words.state(Load));
    while seen.holder() == Some(me) {
        seen = pass_on(words, seen, poison);
    }
    // The successor may have died meanwhile.
    mended(words);
    Ok(())
}

/// Releases the lock, if no image fails before it knows to whom; and returns whether it has.
fn release_as_told<W: Words>(
    words: &W,
    mut successor: Option<Node>,
    poison: Option<usize>,
) -> Result<bool, NotAcquired> {
    // The nodes behind this image's whose images have left.
    let mut left = Vec::new();
    loop {
        let next = match (successor, left.last()) {
            (Some(next), _) => Some(next),
            (_, last) if free(words, last.copied(), poison) => None,
            (_, last) => {
                let told = match last {
                    Some(&last) => be_told(words, |swap| words.next(last, swap))?,
                    None => be_told(words, |swap| words.first(swap))?,
                };
                let Some(next) = told else {
                    return Ok(false);
                };
                Some(next)
            }
        };
        if let Some(next) = next {
            if next.has_deadline && words.presence(next.image, Or(TAKEN)) & LEFT != 0 {
                left.push(next);
                successor = None;
                continue;
            }
            hand_over(words, next, poison);
        }
        // Not before: until then their records lead from those behind them to this image.
        take_out(words, &left);
        return Ok(true);
    }
}

/// Lets the images of nodes that they have left use them again.
pub(super) fn take_out<W: Words>(words: &W, left: &[Node]) {
    for node in left {
        words.presence(node.image, And(!STATES));
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
    // Those who heard of its failure before it was named wait for the next one.
    if words.has_failed(next.image) {
        mended(words);
    }
}

/// Makes the lock free, if no node is behind this one, or behind the holder's.
fn free<W: Words>(words: &W, node: Option<Node>, poisoner: Option<usize>) -> bool {
    let me = words.me();
    let mut seen = State::alone(me);
    loop {
        let former = State(words.state(CompareExchange {
            current: seen.0,
            new: seen.freed().poisoned_by(poisoner).0,
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
