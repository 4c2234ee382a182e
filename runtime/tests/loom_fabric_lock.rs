//! The lock of jobs on several nodes, in every interleaving, and every order in which memory may show writes.
//!
//! loom runs the very source of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod fabric_lock;
    pub(crate) mod lock_state;
}

use std::cell::Cell;
use std::sync::Arc;

use coarray_fabric::AtomicOperation;
use lockfree::fabric_lock::{self, ABSENT, LEFT, Node, Words};
use lockfree::lock_state::{NotAcquired, State};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

/// A lock, and what it guards.
#[derive(Default)]
struct Guarded {
    state: AtomicU64,
    first: AtomicU64,
    /// Changed by plain stores.
    count: UnsafeCell<u32>,
}

/// The words of an image.
#[derive(Default)]
struct Nodes {
    granted: AtomicU64,
    next: [AtomicU64; 2],
    presence: AtomicU64,
}

/// What the images of a job share.
#[derive(Default)]
struct Job {
    locks: [Guarded; 2],
    nodes: Vec<Nodes>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Job {}

impl Job {
    fn new(images: usize) -> Self {
        Self {
            nodes: (0..images).map(|_| Nodes::default()).collect(),
            ..Self::default()
        }
    }

    fn count(&self, lock: usize) -> u32 {
        // SAFETY: loom fails the model if a thread changes the cell at the same time.
        self.locks[lock].count.with(|count| unsafe { *count })
    }

    fn state(&self, lock: usize) -> State {
        State(self.locks[lock].state.load(Ordering::Relaxed))
    }
}

/// An image.
struct Image<'a> {
    job: &'a Job,
    me: usize,
    tries: u32,
    /// The sum of the numbers of its grants before the current wait.
    granted: Cell<u64>,
}

/// An image, and the lock that it acquires or releases.
struct User<'a> {
    image: &'a Image<'a>,
    lock: &'a Guarded,
}

impl<'a> Image<'a> {
    fn user(&'a self, lock: usize) -> User<'a> {
        User {
            image: self,
            lock: &self.job.locks[lock],
        }
    }

    fn acquire_by(&self, lock: usize, has_deadline: bool) -> Result<Option<Node>, NotAcquired> {
        let image = self.me;
        let node = Node {
            image,
            has_deadline,
        };
        fabric_lock::acquire(&self.user(lock), Some(node))
    }

    fn acquire(&self, lock: usize) -> Result<Option<Node>, NotAcquired> {
        self.acquire_by(lock, false)
    }

    fn release(&self, lock: usize, successor: Option<Node>, poison: bool) {
        let released = fabric_lock::release(&self.user(lock), successor, poison);
        assert_eq!(released, Ok(()));
    }

    /// Adds to what the lock guards, not atomically.
    fn add(&self, lock: usize) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.job.locks[lock]
            .count
            .with_mut(|count| unsafe { *count += 1 });
    }

    fn lock_and_add(&self, lock: usize) {
        let successor = self.acquire(lock).expect("nobody poisons it");
        self.add(lock);
        self.release(lock, successor, false);
    }

    /// Adds if it gets the lock before a deadline, which passes at once. Returns whether it did.
    fn lock_and_add_if_soon(&self, lock: usize) -> bool {
        match self.acquire_by(lock, true) {
            Ok(successor) => {
                self.add(lock);
                self.release(lock, successor, false);
            }
            Err(error) => {
                assert_eq!(error, NotAcquired::TimedOut);
                return false;
            }
        }
        true
    }

    /// Waits until this image can use its node with a deadline again.
    fn await_absence(&self) {
        while self.job.nodes[self.me].presence.load(Ordering::Acquire) != ABSENT {
            thread::yield_now();
        }
    }
}

loom::lazy_static! {
    static ref STEPS: AtomicU64 = AtomicU64::new(0);
}

/// Comes before each access, for the reason that `loom/stepping.rs` tells.
fn step() {
    STEPS.fetch_add(1, Ordering::Relaxed);
}

/// A fabric's operation; the fences around a lock are part of it here.
fn operate(word: &AtomicU64, operation: AtomicOperation) -> u64 {
    step();
    let both = Ordering::AcqRel;
    match operation {
        AtomicOperation::Load => word.load(Ordering::Acquire),
        AtomicOperation::Swap(value) => word.swap(value, both),
        AtomicOperation::CompareExchange { current, new } => word
            .compare_exchange(current, new, both, Ordering::Acquire)
            .unwrap_or_else(|other| other),
        AtomicOperation::Add(value) => word.fetch_add(value, both),
        AtomicOperation::And(bits) => word.fetch_and(bits, both),
        AtomicOperation::Or(bits) => word.fetch_or(bits, both),
        AtomicOperation::Xor(bits) => word.fetch_xor(bits, both),
    }
}

impl Words for User<'_> {
    fn me(&self) -> usize {
        self.image.me
    }

    fn tries(&self) -> u32 {
        self.image.tries
    }

    fn state(&self, operation: AtomicOperation) -> u64 {
        operate(&self.lock.state, operation)
    }

    fn first(&self, operation: AtomicOperation) -> u64 {
        operate(&self.lock.first, operation)
    }

    fn next(&self, node: Node, operation: AtomicOperation) -> u64 {
        let nodes = &self.image.job.nodes[node.image];
        operate(&nodes.next[usize::from(node.has_deadline)], operation)
    }

    fn presence(&self, image: usize, operation: AtomicOperation) -> u64 {
        operate(&self.image.job.nodes[image].presence, operation)
    }

    fn grant(&self, image: usize, number: u64) {
        step();
        let word = &self.image.job.nodes[image].granted;
        word.fetch_add(number, Ordering::Release);
    }

    fn await_grant(&self, has_deadline: bool) -> Result<u64, NotAcquired> {
        let before = self.image.granted.get();
        let word = &self.image.job.nodes[self.me()].granted;
        step();
        loop {
            let granted = word.load(Ordering::Acquire);
            if granted != before {
                self.image.granted.set(granted);
                return Ok(granted - before);
            }
            if has_deadline {
                return Err(NotAcquired::TimedOut);
            }
            thread::yield_now();
        }
    }

    fn look_again(&self) -> Result<(), NotAcquired> {
        thread::yield_now();
        Ok(())
    }
}

/// Runs `live` on the images in all interleavings with at most so many preemptions, and then `check`.
fn model(
    images: usize,
    preemptions: usize,
    live: impl Fn(&Image<'_>) + Send + Sync + Copy + 'static,
    check: impl Fn(&Job) + Send + Sync + 'static,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let job = Arc::new(Job::new(images));
        let live_as = move |job: &Job, me| {
            let granted = Cell::new(0);
            // The last one tries again before it queues.
            let tries = u32::from(me + 1 == images);
            live(&Image {
                job,
                me,
                tries,
                granted,
            });
        };
        let others: Vec<_> = (1..images)
            .map(|me| {
                let job = Arc::clone(&job);
                thread::spawn(move || live_as(&job, me))
            })
            .collect();
        live_as(&job, 0);
        for other in others {
            other.join().expect("loom reports panics itself");
        }
        check(&job);
    });
}

/// No lock is held, no word tells of a node, and no node is in a queue.
fn all_is_over(job: &Job) {
    for lock in &job.locks {
        let words = [&lock.state, &lock.first].map(|word| word.load(Ordering::Relaxed));
        assert_eq!(words, [0; 2]);
    }
    for nodes in &job.nodes {
        let told = nodes
            .next
            .each_ref()
            .map(|word| word.load(Ordering::Relaxed));
        assert_eq!(told, [0; 2]);
        assert_ne!(nodes.presence.load(Ordering::Relaxed), LEFT);
    }
}

#[test]
fn two_images_have_the_lock_in_turn() {
    let live = |image: &Image<'_>| (0..2).for_each(|_| image.lock_and_add(0));
    model(2, 2, live, |job| {
        assert_eq!(job.count(0), 4);
        all_is_over(job);
    });
}

#[test]
fn three_images_have_the_lock_in_turn() {
    let live = |image: &Image<'_>| image.lock_and_add(0);
    model(3, 2, live, |job| {
        assert_eq!(job.count(0), 3);
        all_is_over(job);
    });
}

#[test]
fn who_holds_one_lock_and_waits_for_another_knows_who_comes_next_in_both() {
    let live = |image: &Image<'_>| {
        let outer = image.acquire(0).expect("nobody poisons it");
        image.add(0);
        image.lock_and_add(1);
        image.release(0, outer, false);
        image.lock_and_add(1);
    };
    model(2, 2, live, |job| {
        assert_eq!([0, 1].map(|lock| job.count(lock)), [2, 4]);
        all_is_over(job);
    });
}

#[test]
fn who_waits_for_a_lock_that_is_poisoned_is_told_and_others_find_it_free() {
    let live = |image: &Image<'_>| match image.acquire(0) {
        Ok(successor) => {
            image.add(0);
            image.release(0, successor, true);
        }
        Err(error) => assert!(matches!(error, NotAcquired::Poisoned(_))),
    };
    model(2, 3, live, |job| {
        assert_eq!(job.count(0), 1);
        let state = job.state(0);
        assert_eq!((state.holder(), state.last()), (None, None));
        assert!(state.poisoner().is_some());
    });
}

#[test]
fn who_does_not_wait_is_told_who_holds_the_lock() {
    let live = |image: &Image<'_>| match fabric_lock::acquire(&image.user(0), None) {
        Ok(successor) => {
            let again = image.acquire(0);
            assert_eq!(again, Err(NotAcquired::AlreadyHeld));
            image.add(0);
            image.release(0, successor, false);
        }
        Err(error) => assert_eq!(error, NotAcquired::Busy(1 - image.me)),
    };
    model(2, 2, live, |job| {
        assert!((1..=2).contains(&job.count(0)));
        all_is_over(job);
    });
}

#[test]
fn who_leaves_at_its_deadline_is_passed_over() {
    let live = |image: &Image<'_>| match image.me {
        1 => drop(image.lock_and_add_if_soon(0)),
        _ => image.lock_and_add(0),
    };
    model(3, 2, live, |job| {
        assert!((2..=3).contains(&job.count(0)));
        all_is_over(job);
    });
}

#[test]
fn several_who_leave_are_passed_over() {
    let live = |image: &Image<'_>| match image.me {
        0 => image.lock_and_add(0),
        _ => drop(image.lock_and_add_if_soon(0)),
    };
    model(3, 2, live, |job| {
        assert!((1..=3).contains(&job.count(0)));
        all_is_over(job);
    });
}

#[test]
fn who_has_left_waits_for_another_lock_and_comes_again() {
    let live = |image: &Image<'_>| {
        if image.me == 0 {
            image.lock_and_add(0);
            return image.lock_and_add(1);
        }
        let left = !image.lock_and_add_if_soon(0);
        image.lock_and_add(1);
        image.lock_and_add(0);
        if left {
            image.await_absence();
            image.lock_and_add_if_soon(1);
        }
    };
    model(2, 3, live, |job| {
        assert!((2..=3).contains(&job.count(0)));
        assert!((2..=3).contains(&job.count(1)));
        all_is_over(job);
    });
}

#[test]
fn poison_passes_over_who_has_left() {
    let live = |image: &Image<'_>| match image.me {
        0 => {
            let successor = image.acquire(0).expect("only this image poisons it");
            image.add(0);
            image.release(0, successor, true);
        }
        1 => match image.acquire_by(0, true) {
            Ok(successor) => image.release(0, successor, false),
            Err(error) => {
                let is_right = [NotAcquired::TimedOut, NotAcquired::Poisoned(0)].contains(&error);
                assert!(is_right, "{error:?}");
            }
        },
        _ => match image.acquire(0) {
            Ok(successor) => image.release(0, successor, false),
            Err(error) => assert_eq!(error, NotAcquired::Poisoned(0)),
        },
    };
    model(3, 2, live, |job| {
        let state = job.state(0);
        assert_eq!((state.holder(), state.last()), (None, None));
        assert_eq!(state.poisoner(), Some(0));
    });
}
