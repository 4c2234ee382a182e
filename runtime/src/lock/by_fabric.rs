//! Locks of jobs on several nodes: all images change the words of a lock through the fabric, also those of its own node, so that each
//! word is accessed in one way. The algorithm is in `lockfree/fabric_lock.rs`.

use std::cell::Cell;
use std::mem::offset_of;
use std::sync::atomic::{Ordering, fence};
use std::thread;
use std::time::{Duration, Instant};

use crate::image::Image;
use crate::job::control::ImageControl;
use crate::lock::{Lock, Wanting};
use crate::lockfree::fabric_lock::{self, ABSENT, Node, Words};
use crate::lockfree::lock_nodes::Nodes;
use crate::lockfree::lock_state::{NotAcquired, State};
use crate::lockfree::queue_lock::QueueLock;
use crate::primitives::{AtomicU64, pause, yield_now};
use crate::waiting::{Cause, Interruption};
use coarray_fabric::memory::locality::Place;
use coarray_fabric::{AtomicOperation, SignalOperation, Word};

/// How often an image tries again before it queues: about what it costs two images to use the queue.
const TRIES: u32 = 4;

/// How often an image looks before it yields its core between two looks, and before it sleeps: whom it looks for is about to write.
const SPINS: u32 = 100;
const YIELDS: u32 = 1000;

/// How long it sleeps between two looks.
const NAP: Duration = Duration::from_micros(50);

/// An image that acquires or releases a lock.
pub(super) struct Acquirer<'a> {
    image: &'a Image,
    lock: Lock<'a>,
    /// Where the lock is.
    place: Place,
    wanting: Wanting,
    /// How often it has looked in vain.
    looks: Cell<u32>,
}

impl<'a> Acquirer<'a> {
    pub(super) fn new(image: &'a Image, lock: Lock<'a>, place: Place, wanting: Wanting) -> Self {
        Self {
            image,
            lock,
            place,
            wanting,
            looks: Cell::new(0),
        }
    }

    /// Acquires the lock in the order of the queue. While the node with a deadline is still in a queue that the image has left, it
    /// tries again and again instead.
    pub(super) fn lock(&self) -> Result<(), NotAcquired> {
        let Some(deadline) = self.wanting.deadline else {
            return self.acquire(Some(self.node(false)));
        };
        loop {
            let node = (!self.is_left_behind()).then(|| self.node(true));
            match self.acquire(node) {
                Err(NotAcquired::Busy(_)) if Instant::now() < deadline => self.look_again()?,
                Err(NotAcquired::Busy(_)) => return Err(NotAcquired::TimedOut),
                Err(NotAcquired::TimedOut) => {
                    self.image.queueing.has_left.set(true);
                    return Err(NotAcquired::TimedOut);
                }
                other => return other,
            }
        }
    }

    /// Acquires the lock if no image holds it.
    pub(super) fn try_lock(&self) -> Result<(), NotAcquired> {
        self.acquire(None)
    }

    fn acquire(&self, node: Option<Node>) -> Result<(), NotAcquired> {
        let successor = fabric_lock::acquire(self, node)?;
        // What the last holder wrote, and completed, is visible. Pairs with the fence in `release`.
        fence(Ordering::SeqCst);
        let mut successors = self.image.queueing.successors.borrow_mut();
        // The image may have leaked a guard of a lock that was here before.
        successors.retain(|&(place, _)| place != self.place);
        successors.extend(successor.map(|node| (self.place, node)));
        Ok(())
    }

    /// Releases the lock, which the image acquired.
    pub(super) fn release(&self, poison: bool) {
        let mut successors = self.image.queueing.successors.borrow_mut();
        let own = successors
            .iter()
            .position(|&(place, _)| place == self.place);
        let successor = own.map(|index| successors.swap_remove(index).1);
        drop(successors);
        // What the image wrote is visible to the next holder. Pairs with the fence in `acquire`.
        fence(Ordering::SeqCst);
        // If the job has ended nobody gets it any more.
        let _ = fabric_lock::release(self, successor, poison);
    }

    pub(super) fn load(&self) -> State {
        State(self.state(AtomicOperation::Load))
    }

    pub(super) fn clear_poison(&self) {
        self.state(AtomicOperation::And(State::UNPOISONED));
    }

    fn node(&self, has_deadline: bool) -> Node {
        let image = self.me();
        Node {
            image,
            has_deadline,
        }
    }

    /// Whether the node with a deadline is in a queue that the image has left.
    fn is_left_behind(&self) -> bool {
        let has_left = &self.image.queueing.has_left;
        if has_left.get() && self.presence(self.me(), AtomicOperation::Load) == ABSENT {
            has_left.set(false);
        }
        has_left.get()
    }

    fn nodes(&self, image: usize) -> &Nodes {
        &self.image.control(image).nodes
    }

    fn granted(&self) -> u64 {
        let nodes = self.nodes(self.me());
        nodes.granted.count() + nodes.granted_from_afar.sum()
    }

    fn operate(&self, image: usize, offset: usize, operation: AtomicOperation) -> u64 {
        let fabric = self.image.fabric();
        // SAFETY: the word is one of a lock or of a node, aligned, in a block or in the control structures of that image; in jobs with a
        // network it is accessed here only.
        unsafe { fabric.atomic(image, offset, Word::Bits64, operation) }
    }

    fn operate_on_lock(&self, offset: usize, operation: AtomicOperation) -> u64 {
        self.operate(self.place.image, self.place.offset + offset, operation)
    }
}

/// Where a word of an image's nodes is in its part.
macro_rules! word_of_nodes {
    ($field:ident) => {
        offset_of!(ImageControl, nodes) + offset_of!(Nodes, $field)
    };
}

impl Words for Acquirer<'_> {
    fn me(&self) -> usize {
        self.image.index
    }

    fn tries(&self) -> u32 {
        TRIES
    }

    fn state(&self, operation: AtomicOperation) -> u64 {
        self.operate_on_lock(QueueLock::STATE, operation)
    }

    fn first(&self, operation: AtomicOperation) -> u64 {
        self.operate_on_lock(QueueLock::FIRST, operation)
    }

    fn next(&self, node: Node, operation: AtomicOperation) -> u64 {
        let index = usize::from(node.has_deadline);
        let offset = word_of_nodes!(next) + index * size_of::<AtomicU64>();
        self.operate(node.image, offset, operation)
    }

    fn presence(&self, image: usize, operation: AtomicOperation) -> u64 {
        self.operate(image, word_of_nodes!(presence), operation)
    }

    fn grant(&self, image: usize, number: u64) {
        if self.image.shares_memory_with(image) {
            return self.nodes(image).granted.add(number);
        }
        let offset = word_of_nodes!(granted_from_afar);
        let add = SignalOperation::Add(number);
        // SAFETY: the word is a signal of the control structures, which stay until the end of the job; it is changed here only.
        unsafe { self.image.fabric().signal(image, offset, add) };
    }

    fn await_grant(&self, has_deadline: bool) -> Result<u64, NotAcquired> {
        let nodes = self.nodes(self.me());
        let before = self.image.queueing.granted.get();
        let cause = Queued {
            user: self,
            deadline: self.wanting.deadline.filter(|_| has_deadline),
        };
        let (count, signal) = (&nodes.granted, &nodes.granted_from_afar);
        match self.image.wait_for_sum(count, signal, before + 1, cause) {
            Ok(()) => {}
            Err(Interruption::TimedOut) => return Err(NotAcquired::TimedOut),
            // No image of such a job fails alone.
            Err(Interruption::Failed) => return Err(NotAcquired::Ended),
        }
        // One image grants it, once.
        let granted = self.granted();
        self.image.queueing.granted.set(granted);
        Ok(granted - before)
    }

    fn look_again(&self) -> Result<(), NotAcquired> {
        self.image.poll();
        if self.image.has_ended() {
            return Err(NotAcquired::Ended);
        }
        let looks = self.looks.get();
        self.looks.set(looks.saturating_add(1));
        match looks {
            ..SPINS => pause(),
            SPINS..YIELDS => yield_now(),
            _ => thread::sleep(NAP),
        }
        Ok(())
    }
}

/// Why an image waits in the queue.
struct Queued<'a> {
    user: &'a Acquirer<'a>,
    deadline: Option<Instant>,
}

impl Cause for Queued<'_> {
    fn describe(&self) -> String {
        let Acquirer { image, lock, .. } = *self.user;
        self.user.wanting.describe(image, lock)
    }

    fn awaited(&self) -> Option<usize> {
        self.user.load().holder()
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

#[cfg(all(test, feature = "simulated"))]
mod tests {
    use std::panic::Location;
    use std::sync::Mutex;

    use super::*;
    use crate::image::team::Team;
    use crate::lock::LockKind;
    use crate::testing::run;

    /// Waits for the signal to go on.
    struct Idle;

    impl Cause for Idle {
        fn describe(&self) -> String {
            "waits for its cue".into()
        }

        fn awaited(&self) -> Option<usize> {
            Some(0)
        }

        fn has_failed(&self) -> bool {
            false
        }
    }

    #[test]
    fn images_of_several_nodes_get_a_lock_in_the_order_in_which_they_came() {
        const ARRIVALS: [usize; 5] = [5, 2, 4, 1, 3];
        for nodes in [2, 3, 4, 6] {
            let order = Mutex::new(Vec::new());
            run(6, nodes, || {
                let team = Team::current();
                let (image, lock) = (team.image(), team.critical());
                let last = || image.state_of(lock).last().map(|node| node.image);
                let take = || image.lock(lock, LockKind::Critical, Location::caller(), None);
                if image.index == 0 {
                    take().unwrap();
                    for next in ARRIVALS {
                        image.advance_pair(next);
                        while last() != Some(next) {
                            image.poll();
                            image.check_abort();
                            thread::yield_now();
                        }
                    }
                    assert_eq!(image.holder_of(lock), Some(0));
                } else {
                    let (cue, _) = image.pair_with(0);
                    image.wait(cue, 1, Idle).unwrap();
                    assert_eq!(image.holder_of(lock), Some(0));
                    take().unwrap();
                    assert_eq!(image.holder_of(lock), Some(image.index));
                    order.lock().unwrap().push(image.index);
                }
                // SAFETY: the image acquired the lock, and the test accesses nothing that it guards.
                unsafe { image.unlock(lock, false) };
            });
            assert_eq!(*order.lock().unwrap(), ARRIVALS, "{nodes} nodes");
        }
    }
}
