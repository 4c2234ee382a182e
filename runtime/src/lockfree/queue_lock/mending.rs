//! Passing a lock on by what the nodes in its queue record, once images have failed.

use coarray_fabric::AtomicOperation::{CompareExchange, Load, Or};

use crate::lockfree::lock_state::{Node, State};
use crate::lockfree::queue_lock::queue::take_out;
use crate::lockfree::queue_lock::{LEFT, TAKEN, Words};

/// The state of the lock, once it is free or its holder lives.
pub(super) fn mended<W: Words>(words: &W) -> State {
    // No load: who names a holder after this sees the failures that this image has seen.
    let mut seen = State(words.state(Or(0)));
    while let Some(holder) = seen.holder().filter(|&holder| words.has_failed(holder)) {
        seen = pass_on(words, seen, Some(holder));
    }
    seen
}

/// Tries to name the first living image that waits as the holder, in place of one that is this image, or has failed; or to make the lock
/// free if none waits. Returns the state after that.
#[cold]
pub(super) fn pass_on<W: Words>(words: &W, seen: State, poisoner: Option<usize>) -> State {
    let look = || State(words.state(Load));
    let Some(queue) = Queue::of(words, seen) else {
        return look();
    };
    let new = match queue.first {
        Some(next) => {
            if next.has_deadline && !take(words, seen, next) {
                return look();
            }
            seen.held_by(next.image)
        }
        None => seen.freed(),
    };
    let new = new.poisoned_by(poisoner);
    // A holder that has failed never holds the lock again, so if this succeeds, it was the holder all the time, and no node has gone.
    let former = State(words.state(CompareExchange {
        current: seen.0,
        new: new.0,
    }));
    if former != seen {
        return former;
    }
    take_out(words, &queue.left);
    if let Some(next) = queue.first.filter(|next| next.image != words.me()) {
        // Nobody reads the number: this image knows of failures, so the other one does.
        words.grant(next.image, 1);
    }
    new
}

/// Marks a node with a deadline as taken, unless its image has left, or the lock has another state meanwhile.
fn take<W: Words>(words: &W, seen: State, node: Node) -> bool {
    let presence = words.presence(node.image, Load);
    // If so, the mark was that of a wait for this lock, and has a number that no other has.
    let is_in_queue = State(words.state(Load)) == seen;
    let mark = CompareExchange {
        current: presence,
        new: presence | TAKEN,
    };
    is_in_queue && presence & LEFT == 0 && words.presence(node.image, mark) == presence
}

/// The queue behind a holder that is this image or has failed.
struct Queue {
    /// The first node whose image lives and waits.
    first: Option<Node>,
    /// The nodes before it whose images live and have left.
    left: Vec<Node>,
}

impl Queue {
    /// Follows the records from the last node to the holder. None if that leads nowhere: then the lock has another holder meanwhile.
    fn of<W: Words>(words: &W, state: State) -> Option<Self> {
        let (holder, mut node) = (state.holder()?, state.last()?);
        let mut queue = Self {
            first: None,
            left: Vec::new(),
        };
        // Each image has two nodes.
        for _ in 0..=2 * words.images() {
            if node.image == holder {
                return Some(queue);
            }
            if !words.has_failed(node.image) {
                if node.has_deadline && words.presence(node.image, Load) & LEFT != 0 {
                    queue.left.push(node);
                } else {
                    queue.first = Some(node);
                    queue.left.clear();
                }
            }
            node = words.recorded(node)?;
        }
        None
    }
}
