//! The words of a lock and of the nodes in its queue, for the algorithm in `lockfree/queue_lock.rs`: changed by instructions where all
//! images share memory. In jobs on several nodes all images change them through the fabric, also those of its own node, so that each
//! word is accessed in one way.

use std::cell::Cell;
use std::mem::offset_of;
use std::panic::Location;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use crate::image::Image;
use crate::job::control::ImageControl;
use crate::lock::{Lock, Wanting};
use crate::lockfree::lock_state::{Node, NotAcquired, State};
use crate::lockfree::queue_lock::{self, ABSENT, Nodes, QueueLock, STATES, Wake, Words};
use crate::primitives::{AtomicU64, nap, pause, yield_now};
use crate::profile::activity::Activity;
use crate::waiting::{Cause, Interruption};
use coarray_fabric::memory::locality::Place;
use coarray_fabric::system::controlled;
use coarray_fabric::{AtomicOperation, SignalOperation, Word};

/// How often an image tries again before it queues, if nobody does: short sections are over by then.
const TRIES: u32 = 16;

/// How often it pauses before each: a try keeps the holder waiting, which is about to release the lock by an operation on the same word.
const PAUSES: u32 = 16;

/// How often an image looks before it yields its core between two looks, and before it sleeps: whom it looks for is about to write.
const SPINS: u32 = 100;
const YIELDS: u32 = 1000;

/// How long it sleeps between two looks.
const NAP: Duration = Duration::from_micros(50);

/// How an image reaches the words.
#[derive(Clone, Copy)]
pub(super) enum Reach<'a> {
    /// By instructions.
    Direct(&'a QueueLock),
    /// Through the fabric, which finds the lock here.
    Fabric(Place),
}

/// An image that acquires or releases a lock.
pub(super) struct Acquirer<'a> {
    image: &'a Image,
    lock: Lock<'a>,
    reach: Reach<'a>,
    wanting: Wanting,
    /// How often it has looked in vain.
    looks: Cell<u32>,
}

impl<'a> Acquirer<'a> {
    pub(super) fn new(
        image: &'a Image,
        lock: Lock<'a>,
        reach: Reach<'a>,
        wanting: Wanting,
    ) -> Self {
        Self {
            image,
            lock,
            reach,
            wanting,
            looks: Cell::new(0),
        }
    }

    /// Acquires the lock in the order of the queue. While the node with a deadline is still in a queue that the image has left, it
    /// tries again and again instead. Returns the node behind this image's, if there is one already.
    pub(super) fn lock(&self) -> Result<Option<Node>, NotAcquired> {
        let Some(deadline) = self.wanting.deadline else {
            return self.acquire(Some(self.node(false)));
        };
        loop {
            let node = (!self.is_left_behind()).then(|| self.node(true));
            match self.acquire(node) {
                Err(NotAcquired::Busy(_)) if controlled::now() < deadline => self.look_again()?,
                Err(NotAcquired::Busy(_)) => return Err(NotAcquired::TimedOut),
                Err(NotAcquired::TimedOut) => {
                    self.image.has_left_queue.set(true);
                    return Err(NotAcquired::TimedOut);
                }
                other => return other,
            }
        }
    }

    /// Acquires the lock if no image holds it.
    pub(super) fn try_lock(&self) -> Result<Option<Node>, NotAcquired> {
        self.acquire(None)
    }

    fn acquire(&self, node: Option<Node>) -> Result<Option<Node>, NotAcquired> {
        let acquired = queue_lock::acquire(self, node);
        // What the last holder wrote, and completed, is visible. Pairs with the fence in `release`.
        self.fence(Ordering::Acquire);
        acquired
    }

    /// Releases the lock, which the image acquired with this successor.
    pub(super) fn release(&self, successor: Option<Node>, poison: bool) {
        // What the image wrote is visible to the next holder. Pairs with the fence in `acquire`.
        self.fence(Ordering::Release);
        // If the job has ended nobody gets it any more.
        let _ = queue_lock::release(self, successor, poison);
    }

    /// Instructions order what comes before and after themselves.
    fn fence(&self, order: Ordering) {
        if let Reach::Fabric(_) = self.reach {
            fence(order);
        }
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
        let has_left = &self.image.has_left_queue;
        if has_left.get() && self.presence(self.me(), AtomicOperation::Load) & STATES == ABSENT {
            has_left.set(false);
        }
        has_left.get()
    }

    fn nodes(&self, image: usize) -> &Nodes {
        &self.image.control(image).nodes
    }

    #[inline]
    fn on_lock(
        &self,
        offset: usize,
        word: impl Fn(&QueueLock) -> &AtomicU64,
        operation: AtomicOperation,
    ) -> u64 {
        match self.reach {
            Reach::Direct(lock) => operate(word(lock), operation),
            Reach::Fabric(place) => self.by_fabric(place.image, place.offset + offset, operation),
        }
    }

    #[inline]
    fn on_nodes(
        &self,
        image: usize,
        offset: usize,
        word: impl Fn(&Nodes) -> &AtomicU64,
        operation: AtomicOperation,
    ) -> u64 {
        match self.reach {
            Reach::Direct(_) => operate(word(self.nodes(image)), operation),
            Reach::Fabric(_) => {
                self.by_fabric(image, offset_of!(ImageControl, nodes) + offset, operation)
            }
        }
    }

    fn by_fabric(&self, image: usize, offset: usize, operation: AtomicOperation) -> u64 {
        let fabric = self.image.fabric();
        // SAFETY: the word is one of a lock or of a node, aligned, in a block or in the control structures of that image; in jobs with a
        // network it is accessed here only.
        unsafe { fabric.atomic(image, offset, Word::Bits64, operation) }
    }
}

#[inline]
fn operate(word: &AtomicU64, operation: AtomicOperation) -> u64 {
    // SAFETY: a reference to a word is valid and aligned, and an atomic has atomic accesses only.
    unsafe { operation.apply(word.as_ptr().cast(), Word::Bits64) }
}

impl Words for Acquirer<'_> {
    fn me(&self) -> usize {
        self.image.index
    }

    fn images(&self) -> usize {
        self.image.images
    }

    fn tries(&self) -> u32 {
        match self.reach {
            Reach::Direct(_) => self.image.backoff.patience().spins.min(TRIES),
            Reach::Fabric(_) => TRIES,
        }
    }

    fn try_again(&self, take: AtomicOperation) -> u64 {
        (0..PAUSES).for_each(|_| pause());
        if let Reach::Direct(lock) = self.reach {
            // Relaxed: the operation acquires.
            match lock.state.load(Ordering::Relaxed) {
                free if State(free) == State::FREE => {}
                other => return other,
            }
        }
        self.state(take)
    }

    #[inline]
    fn state(&self, operation: AtomicOperation) -> u64 {
        let offset = offset_of!(QueueLock, state);
        self.on_lock(offset, |lock| &lock.state, operation)
    }

    #[inline]
    fn first(&self, operation: AtomicOperation) -> u64 {
        let offset = offset_of!(QueueLock, first);
        self.on_lock(offset, |lock| &lock.first, operation)
    }

    #[inline]
    fn next(&self, node: Node, operation: AtomicOperation) -> u64 {
        let index = usize::from(node.has_deadline);
        let offset = offset_of!(Nodes, next) + index * size_of::<AtomicU64>();
        self.on_nodes(node.image, offset, |nodes| &nodes.next[index], operation)
    }

    #[inline]
    fn presence(&self, image: usize, operation: AtomicOperation) -> u64 {
        let offset = offset_of!(Nodes, presence);
        self.on_nodes(image, offset, |nodes| &nodes.presence, operation)
    }

    #[inline]
    fn record(&self, node: Node, before: Node) {
        if let Reach::Direct(_) = self.reach {
            let record = &self.nodes(node.image).before[usize::from(node.has_deadline)];
            // Relaxed: the operation by which the node becomes the last publishes it.
            record.store(before.number(), Ordering::Relaxed);
        }
    }

    fn recorded(&self, node: Node) -> Option<Node> {
        let record = &self.nodes(node.image).before[usize::from(node.has_deadline)];
        // Relaxed: who found the node as the last has acquired it.
        Node::numbered(record.load(Ordering::Relaxed))
    }

    #[inline]
    fn grant(&self, image: usize, number: u64) {
        if self.image.shares_memory_with(image) {
            return self.nodes(image).granted.add(number);
        }
        let offset = offset_of!(ImageControl, nodes) + offset_of!(Nodes, granted_from_afar);
        let add = SignalOperation::Add(number);
        // SAFETY: the word is a signal of the control structures, which stay until the end of the job; it is changed here only.
        unsafe { self.image.fabric().signal(image, offset, add) };
    }

    #[inline]
    fn granted(&self) -> u64 {
        let nodes = self.nodes(self.me());
        nodes.granted.count() + nodes.granted_from_afar.sum()
    }

    #[inline]
    fn await_grant(
        &self,
        before: u64,
        has_deadline: bool,
        failure_epoch: u32,
    ) -> Result<u64, Wake> {
        let nodes = self.nodes(self.me());
        let cause = Queued {
            user: self,
            deadline: self.wanting.deadline.filter(|_| has_deadline),
            failure_epoch,
        };
        let (count, signal) = (&nodes.granted, &nodes.granted_from_afar);
        match self.image.wait_for_sum(count, signal, before + 1, cause) {
            Ok(()) => Ok(self.granted() - before),
            Err(Interruption::Failed) => Err(Wake::ImagesFailed),
            Err(Interruption::TimedOut) => Err(Wake::TimedOut),
        }
    }

    #[inline]
    fn failure_epoch(&self) -> u32 {
        match self.reach {
            Reach::Direct(_) => self.image.job.region.job().failure_epoch(),
            Reach::Fabric(_) => 0,
        }
    }

    #[inline]
    fn have_failed(&self) -> bool {
        matches!(self.reach, Reach::Direct(_)) && self.image.job.region.job().has_failures()
    }

    #[inline]
    fn has_failed(&self, image: usize) -> bool {
        matches!(self.reach, Reach::Direct(_)) && self.image.has_failed(image)
    }

    #[cold]
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
            _ => nap(NAP),
        }
        Ok(())
    }
}

/// Why an image waits in the queue.
struct Queued<'a> {
    user: &'a Acquirer<'a>,
    deadline: Option<Instant>,
    /// When it last looked at the lock.
    failure_epoch: u32,
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
        self.user.failure_epoch() != self.failure_epoch
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Lock, self.user.wanting.caller))
    }

    fn object(&self) -> Option<usize> {
        Some(self.user.lock.address(self.user.image))
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
                        image.advance_pair(next, Location::caller());
                        while last() != Some(next) {
                            image.poll();
                            image.check_abort();
                            std::thread::yield_now();
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
