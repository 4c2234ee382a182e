//! Algorithms on coatomics.

use coarray::image_fence;
use coarray::prelude::*;

use crate::program::{Version, until};

/// A stack of the nodes 1 to 3 on image 0. Node 0 is the end of the list.
///
/// R. K. Treiber, *Systems programming: coping with parallelism*, 1986. The count above the node in the head is that of its changes.
struct Stack {
    head: Coarray<Coatomic<u64>>,
    next: Coarray<[Coatomic<u64>; 4]>,
    counts: bool,
}

impl Stack {
    fn full(counts: bool) -> Self {
        Self {
            head: Coarray::new(Coatomic::new(1)),
            next: Coarray::<[Coatomic<u64>; 4]>::from_fn(|node| {
                Coatomic::new((node as u64 + 1) % 4)
            }),
            counts,
        }
    }

    /// What follows `head` if `node` is to be first.
    fn following(&self, head: u64, node: u64) -> u64 {
        node | ((head >> 32) + u64::from(self.counts)) << 32
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.at(0).load();
            let node = (head as u32) as usize;
            if node == 0 {
                return None;
            }
            image_fence();
            let next = self.next.at(0)[node].load();
            let new = self.following(head, next);
            if self.head.at(0).compare_exchange(head, new).is_ok() {
                return Some(node);
            }
        }
    }

    fn push(&self, node: usize) {
        loop {
            let head = self.head.at(0).load();
            self.next.at(0)[node].store(u64::from(head as u32));
            image_fence();
            let new = self.following(head, node as u64);
            if self.head.at(0).compare_exchange(head, new).is_ok() {
                return;
            }
        }
    }
}

/// Image 1 takes two nodes and gives the first one back, while image 0 is about to take it.
pub fn stack_whose_head_comes_back(version: Version) {
    let stack = Stack::full(version.is_right());
    let mut taken = Vec::new();
    if this_image() == 0 {
        taken.extend(stack.pop());
    } else {
        let first = stack.pop();
        taken.extend(stack.pop());
        stack.push(first.expect("of three nodes one is left"));
    }
    sync_all();
    if this_image() == 0 {
        taken.extend(std::iter::from_fn(|| stack.pop()).take(3));
    }
    let mut nodes = [0; 4];
    taken.iter().for_each(|&node| nodes[node] += 1);
    co_sum(&mut nodes);
    assert_eq!(nodes, [0, 1, 1, 1], "how often each node was taken");
}

/// The owner takes items at the bottom, thieves at the top. Two items are there.
///
/// D. Chase and Y. Lev, *Dynamic circular work-stealing deque*, SPAA 2005.
struct Deque {
    top: Coarray<Coatomic<i64>>,
    bottom: Coarray<Coatomic<i64>>,
}

impl Deque {
    fn take(&self, version: Version) -> Option<i64> {
        let (top, bottom) = (self.top.at(0), self.bottom.at(0));
        let last = bottom.load() - 1;
        bottom.store(last);
        image_fence();
        let first = top.load();
        if first < last {
            return Some(last);
        }
        // It may be the last one, and thieves want it as well.
        let is_mine = first == last
            && match version {
                Version::Wrong => true,
                Version::Right => top.compare_exchange(first, first + 1).is_ok(),
            };
        bottom.store(last + 1);
        is_mine.then_some(last)
    }

    fn steal(&self) -> Option<i64> {
        let (top, bottom) = (self.top.at(0), self.bottom.at(0));
        let first = top.load();
        image_fence();
        let is_there = first < bottom.load();
        (is_there && top.compare_exchange(first, first + 1).is_ok()).then_some(first)
    }
}

pub fn last_item_taken_and_stolen(version: Version) {
    let deque = Deque {
        top: Coarray::new(Coatomic::new(0)),
        bottom: Coarray::new(Coatomic::new(2)),
    };
    let taken = match this_image() {
        0 => [deque.take(version), deque.take(version)],
        _ => [deque.steal(), deque.steal()],
    };
    let mut items = [0; 2];
    for item in taken.into_iter().flatten() {
        items[item as usize] += 1;
    }
    co_sum(&mut items);
    // A thief that comes in vain leaves the item to the owner, who may have looked before.
    assert!(items.iter().all(|&count| count < 2), "how often: {items:?}");
}

/// C. Lameter, *Effective synchronization on Linux/NUMA systems*, 2005: the number is odd while somebody writes.
pub fn sequence_lock_read_while_it_is_odd(version: Version) {
    let number = Coarray::new(Coatomic::new(0));
    let words = Coarray::<[Coatomic<u32>; 2]>::from_fn(|_| Coatomic::new(0));
    let number = number.at(0);
    if this_image() == 0 {
        for value in 1..3 {
            number.add(1);
            image_fence();
            words.iter().for_each(|word| word.store(value));
            image_fence();
            number.add(1);
        }
        return;
    }
    let seen = loop {
        let before = number.load();
        image_fence();
        let seen = [0, 1].map(|index| words.at(0)[index].load());
        image_fence();
        let is_whole = version.is_wrong() || before % 2 == 0;
        if is_whole && number.load() == before {
            break seen;
        }
    };
    assert_eq!(seen[0], seen[1]);
}

/// The last image to come sets the counter back, and the others wait for that.
pub fn barrier_used_again_too_early(version: Version) {
    let images = num_images();
    let (count, turn) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(0)),
    );
    let (count, turn) = (count.at(0), turn.at(0));
    let steps = Coarray::new(Coatomic::new(0));
    for step in 1..=2 {
        steps.store(step);
        image_fence();
        let now = turn.load();
        if count.fetch_add(1) + 1 == images {
            count.store(0);
            image_fence();
            turn.add(1);
        } else {
            until(|| match version {
                Version::Wrong => count.load() == 0,
                Version::Right => turn.load() != now,
            });
        }
        image_fence();
        assert!((0..images).all(|image| steps.at(image).load() >= step));
    }
}

pub fn two_writers_see_that_nobody_is_in(version: Version) {
    let (writer, inside) = (
        Coarray::new(Coatomic::new(false)),
        Coarray::new(Coatomic::new(0)),
    );
    let (writer, inside) = (writer.at(0), inside.at(0));
    match version {
        Version::Wrong => {
            until(|| !writer.load());
            writer.store(true);
        }
        Version::Right => until(|| writer.compare_exchange(false, true).is_ok()),
    }
    image_fence();
    inside.add(1);
    assert_eq!(inside.load(), 1, "somebody else is in");
    inside.sub(1);
    image_fence();
    writer.store(false);
}

/// Peterson, *Myths about the mutual exclusion problem*, 1981: who gives way does so after saying that it wants to go in.
pub fn way_given_before_it_is_asked_for(version: Version) {
    let wants = Coarray::new(Coatomic::new(false));
    let (turn, inside) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(0)),
    );
    let (me, other) = (this_image(), 1 - this_image());
    if version.is_wrong() {
        turn.at(0).store(other);
        image_fence();
    }
    wants.store(true);
    if version.is_right() {
        image_fence();
        turn.at(0).store(other);
    }
    image_fence();
    until(|| !wants.at(other).load() || turn.at(0).load() == me);
    image_fence();
    inside.at(0).add(1);
    assert_eq!(inside.at(0).load(), 1, "both are in");
    inside.at(0).sub(1);
    image_fence();
    wants.store(false);
}
