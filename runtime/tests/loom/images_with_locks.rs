//! Images that acquire and release locks, in models.

// Each model uses a part of this.
#![allow(dead_code)]

use std::sync::Arc;
use std::time::Duration;

use coarray_fabric::AtomicOperation;
use loom::cell::UnsafeCell;
use loom::thread;

use crate::lockfree::eventcount::{self, Eventcount, SpinPolicy, WaitStrategy};
use crate::lockfree::lock_state::{Node, NotAcquired, State};
use crate::lockfree::queue_lock::{self, ABSENT, Nodes, QueueLock, STATES, Wake, Words};
use crate::model;
use crate::primitives::{AtomicU64, Ordering};

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// How the images reach the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// By instructions; images may die.
    Direct,
    /// Through a fabric. Nobody dies, and waits poll.
    Fabric,
}

/// A lock, and what it guards.
#[derive(Default)]
pub(crate) struct Guarded {
    pub(crate) lock: QueueLock,
    /// Changed by plain stores.
    count: UnsafeCell<u32>,
}

/// What the images of a job share.
#[derive(Default)]
pub(crate) struct Job {
    pub(crate) locks: [Guarded; 2],
    pub(crate) nodes: Vec<Nodes>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Job {}

impl Job {
    pub(crate) fn count(&self, lock: usize) -> u32 {
        // SAFETY: loom fails the model if a thread changes the cell at the same time.
        self.locks[lock].count.with(|count| unsafe { *count })
    }

    pub(crate) fn state(&self, lock: usize) -> State {
        State(self.locks[lock].lock.state.load(Ordering::Relaxed))
    }
}

/// An image.
#[derive(Clone, Copy)]
pub(crate) struct Image<'a> {
    pub(crate) job: &'a Job,
    pub(crate) me: usize,
    pub(crate) form: Form,
    /// How often it tries again before it queues.
    pub(crate) tries: u32,
}

/// An image, and the lock that it acquires or releases.
pub(crate) struct User<'a> {
    image: Image<'a>,
    lock: &'a QueueLock,
}

impl<'a> Image<'a> {
    pub(crate) fn user(self, lock: usize) -> User<'a> {
        let lock = &self.job.locks[lock].lock;
        User { image: self, lock }
    }

    pub(crate) fn acquire_by(
        self,
        lock: usize,
        has_deadline: bool,
    ) -> Result<Option<Node>, NotAcquired> {
        let user = self.user(lock);
        if self.form == Form::Direct && user.lock.take_free(self.me) {
            return Ok(None);
        }
        let image = self.me;
        let node = Node {
            image,
            has_deadline,
        };
        queue_lock::acquire(&user, Some(node))
    }

    pub(crate) fn acquire(self, lock: usize) -> Result<Option<Node>, NotAcquired> {
        self.acquire_by(lock, false)
    }

    pub(crate) fn try_acquire(self, lock: usize) -> Result<Option<Node>, NotAcquired> {
        queue_lock::acquire(&self.user(lock), None)
    }

    pub(crate) fn release(self, lock: usize, successor: Option<Node>, poison: bool) {
        let user = self.user(lock);
        let is_direct = self.form == Form::Direct;
        if is_direct && successor.is_none() && user.lock.release_unqueued(self.me, poison) {
            return;
        }
        let released = queue_lock::release(&user, successor, poison);
        assert_eq!(released, Ok(()));
    }

    /// Adds to what the lock guards, not atomically.
    pub(crate) fn add(self, lock: usize) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.job.locks[lock]
            .count
            .with_mut(|count| unsafe { *count += 1 });
    }

    pub(crate) fn lock_and_add(self, lock: usize) {
        assert_eq!(self.try_to_add(lock, false), Ok(()));
    }

    /// Adds if it gets the lock: before a deadline, which passes at once, if it has one.
    pub(crate) fn try_to_add(self, lock: usize, has_deadline: bool) -> Result<(), NotAcquired> {
        let successor = self.acquire_by(lock, has_deadline)?;
        self.add(lock);
        self.release(lock, successor, false);
        Ok(())
    }

    /// As that. Returns whether it was in time.
    pub(crate) fn add_if_soon(self, lock: usize) -> bool {
        let added = self.try_to_add(lock, true);
        assert!(matches!(added, Ok(()) | Err(NotAcquired::TimedOut)));
        added.is_ok()
    }

    fn presence(self) -> u64 {
        self.job.nodes[self.me].presence.load(Ordering::Acquire) & STATES
    }

    /// Waits until this image can use its node with a deadline again.
    pub(crate) fn await_absence(self) {
        while self.presence() != ABSENT {
            thread::yield_now();
        }
    }
}

loom::lazy_static! {
    static ref STEPS: loom::sync::atomic::AtomicU64 = loom::sync::atomic::AtomicU64::new(0);
}

/// Comes before each access, for the reason that `loom/stepping.rs` tells.
fn step() {
    STEPS.fetch_add(1, Ordering::Relaxed);
}

/// An instruction, or a fabric's operation: the fences around a lock are part of it here.
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
        AtomicOperation::Xor(_) => unreachable!("no lock uses it"),
    }
}

impl User<'_> {
    fn record_of(&self, node: Node) -> &AtomicU64 {
        assert_eq!(self.image.form, Form::Direct);
        &self.image.job.nodes[node.image].before[usize::from(node.has_deadline)]
    }
}

impl Words for User<'_> {
    fn me(&self) -> usize {
        self.image.me
    }

    fn images(&self) -> usize {
        self.image.job.nodes.len()
    }

    fn tries(&self) -> u32 {
        self.image.tries
    }

    fn try_again(&self, take: AtomicOperation) -> u64 {
        match self.lock.state.load(Ordering::Relaxed) {
            0 => self.state(take),
            other => other,
        }
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

    fn record(&self, node: Node, before: Node) {
        if self.image.form == Form::Direct {
            self.record_of(node)
                .store(before.number(), Ordering::Relaxed);
        }
    }

    fn recorded(&self, node: Node) -> Option<Node> {
        Node::numbered(self.record_of(node).load(Ordering::Relaxed))
    }

    fn grant(&self, image: usize, number: u64) {
        step();
        self.image.job.nodes[image].granted.add(number);
    }

    fn granted(&self) -> u64 {
        self.image.job.nodes[self.image.me].granted.count()
    }

    fn await_grant(&self, before: u64, has_deadline: bool, epoch: u32) -> Result<u64, Wake> {
        step();
        let granted = &self.image.job.nodes[self.image.me].granted;
        if self.image.form == Form::Direct {
            eventcount::until(granted, before + 1, SLEEP_AT_ONCE, || Lookout {
                epoch,
                is_patient: !has_deadline,
            })?;
        } else {
            while granted.count() == before {
                if has_deadline {
                    return Err(Wake::TimedOut);
                }
                thread::yield_now();
            }
        }
        Ok(granted.count() - before)
    }

    fn failure_epoch(&self) -> u32 {
        match self.image.form {
            Form::Direct => model::alarm(),
            Form::Fabric => 0,
        }
    }

    fn have_failed(&self) -> bool {
        self.failure_epoch() != 0
    }

    fn has_failed(&self, image: usize) -> bool {
        self.failure_epoch() & 1 << image != 0
    }

    fn look_again(&self) -> Result<(), NotAcquired> {
        thread::yield_now();
        Ok(())
    }
}

/// Stops a wait when images have failed, or at once.
struct Lookout {
    epoch: u32,
    is_patient: bool,
}

impl WaitStrategy for Lookout {
    type Stop = Wake;

    fn check(&self) -> Result<(), Wake> {
        if model::alarm() != self.epoch {
            Err(Wake::ImagesFailed)
        } else if self.is_patient {
            Ok(())
        } else {
            Err(Wake::TimedOut)
        }
    }

    fn park_timeout(&self) -> Duration {
        Duration::MAX
    }

    fn prepare_park(&self, _eventcount: &Eventcount, _target: u64) {}

    fn on_timeout(&self) -> Result<(), Wake> {
        Ok(())
    }

    fn unpark(&self) {}
}

/// Runs `live` on the images of a job in all interleavings with at most so many preemptions, and passes the results to `check`.
pub(crate) fn model_of<R: 'static>(
    form: Form,
    images: usize,
    preemptions: usize,
    live: impl Fn(Image<'_>) -> R + Send + Sync + Copy + 'static,
    check: impl Fn(&Job, Vec<R>) + Send + Sync + 'static,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let job = Arc::new(Job {
            nodes: (0..images).map(|_| Nodes::default()).collect(),
            ..Job::default()
        });
        let live_as = move |job: &Job, me| {
            // The last one tries again before it queues.
            let tries = u32::from(me + 1 == images);
            live(Image {
                job,
                me,
                form,
                tries,
            })
        };
        let others: Vec<_> = (1..images)
            .map(|me| {
                let job = Arc::clone(&job);
                thread::spawn(move || live_as(&job, me))
            })
            .collect();
        let mut results = vec![live_as(&job, 0)];
        results.extend(
            others
                .into_iter()
                .map(|other| other.join().expect("loom reports panics itself")),
        );
        check(&job, results);
    });
}
