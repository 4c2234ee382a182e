//! The lock in every interleaving, and every order in which memory may show writes: of words that images change by instructions, also
//! when one dies before any of these, and of words that they change through a fabric.
//!
//! loom runs the very sources of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod model;
#[path = "loom/mortal.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod eventcount;
    pub(crate) mod lock_state;
    pub(crate) mod queue_lock;
}

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use coarray_fabric::AtomicOperation;
use lockfree::eventcount::{Eventcount, SpinPolicy, WaitStrategy};
use lockfree::lock_state::{Node, NotAcquired, State};
use lockfree::queue_lock::{self, ABSENT, LEFT, Nodes, QueueLock, STATES, Wake, Words};
use loom::cell::UnsafeCell;
use loom::thread;
use primitives::{AtomicU64, Ordering};

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// How the images reach the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// By instructions; images may die.
    Direct,
    /// Through a fabric. Nobody dies, and waits poll.
    Fabric,
}

const FORMS: [Form; 2] = [Form::Direct, Form::Fabric];

/// A lock, and what it guards.
#[derive(Default)]
struct Guarded {
    lock: QueueLock,
    /// Changed by plain stores.
    count: UnsafeCell<u32>,
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
    fn count(&self, lock: usize) -> u32 {
        // SAFETY: loom fails the model if a thread changes the cell at the same time.
        self.locks[lock].count.with(|count| unsafe { *count })
    }

    fn state(&self, lock: usize) -> State {
        State(self.locks[lock].lock.state.load(Ordering::Relaxed))
    }
}

/// An image.
#[derive(Clone, Copy)]
struct Image<'a> {
    job: &'a Job,
    me: usize,
    form: Form,
    /// How often it tries again before it queues.
    tries: u32,
}

/// An image, and the lock that it acquires or releases.
struct User<'a> {
    image: Image<'a>,
    lock: &'a QueueLock,
}

impl<'a> Image<'a> {
    fn user(self, lock: usize) -> User<'a> {
        let lock = &self.job.locks[lock].lock;
        User { image: self, lock }
    }

    fn acquire_by(self, lock: usize, has_deadline: bool) -> Result<Option<Node>, NotAcquired> {
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

    fn acquire(self, lock: usize) -> Result<Option<Node>, NotAcquired> {
        self.acquire_by(lock, false)
    }

    fn try_acquire(self, lock: usize) -> Result<Option<Node>, NotAcquired> {
        queue_lock::acquire(&self.user(lock), None)
    }

    fn release(self, lock: usize, successor: Option<Node>, poison: bool) {
        let user = self.user(lock);
        let is_direct = self.form == Form::Direct;
        if is_direct && successor.is_none() && user.lock.release_unqueued(self.me, poison) {
            return;
        }
        let released = queue_lock::release(&user, successor, poison);
        assert_eq!(released, Ok(()));
    }

    /// Adds to what the lock guards, not atomically.
    fn add(self, lock: usize) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.job.locks[lock]
            .count
            .with_mut(|count| unsafe { *count += 1 });
    }

    fn lock_and_add(self, lock: usize) {
        assert_eq!(self.try_to_add(lock, false), Ok(()));
    }

    /// Adds if it gets the lock: before a deadline, which passes at once, if it has one.
    fn try_to_add(self, lock: usize, has_deadline: bool) -> Result<(), NotAcquired> {
        let successor = self.acquire_by(lock, has_deadline)?;
        self.add(lock);
        self.release(lock, successor, false);
        Ok(())
    }

    /// As that. Returns whether it was in time.
    fn add_if_soon(self, lock: usize) -> bool {
        let added = self.try_to_add(lock, true);
        assert!(matches!(added, Ok(()) | Err(NotAcquired::TimedOut)));
        added.is_ok()
    }

    fn presence(self) -> u64 {
        self.job.nodes[self.me].presence.load(Ordering::Acquire) & STATES
    }

    /// Waits until this image can use its node with a deadline again.
    fn await_absence(self) {
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
            lockfree::eventcount::until(granted, before + 1, SLEEP_AT_ONCE, || Lookout {
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
fn model_of<R: 'static>(
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

/// As that, in both forms.
fn model<R: 'static>(
    images: usize,
    preemptions: usize,
    live: impl Fn(Image<'_>) -> R + Send + Sync + Copy + 'static,
    check: impl Fn(&Job, Vec<R>) + Send + Sync + Copy + 'static,
) {
    for form in FORMS {
        model_of(form, images, preemptions, live, check);
    }
}

/// No lock is held, no word tells of a node, and no node is in a queue.
fn all_is_over(job: &Job) {
    for Guarded { lock, .. } in &job.locks {
        let words = [&lock.state, &lock.first].map(|word| word.load(Ordering::Relaxed));
        assert_eq!(words, [0; 2]);
    }
    for nodes in &job.nodes {
        let told = nodes
            .next
            .each_ref()
            .map(|word| word.load(Ordering::Relaxed));
        assert_eq!(told, [0; 2]);
        assert_eq!(nodes.presence.load(Ordering::Relaxed) & LEFT, 0);
    }
}

#[test]
fn two_images_have_the_lock_in_turn() {
    let live = |image: Image<'_>| (0..2).for_each(|_| image.lock_and_add(0));
    model(2, 3, live, |job, _| {
        assert_eq!(job.count(0), 4);
        all_is_over(job);
    });
}

#[test]
fn three_images_have_the_lock_in_turn() {
    let live = |image: Image<'_>| image.lock_and_add(0);
    model(3, 2, live, |job, _| {
        assert_eq!(job.count(0), 3);
        all_is_over(job);
    });
}

#[test]
fn who_holds_one_lock_and_waits_for_another_knows_who_comes_next_in_both() {
    let live = |image: Image<'_>| {
        let outer = image.acquire(0).expect("nobody poisons it");
        image.add(0);
        image.lock_and_add(1);
        image.release(0, outer, false);
        image.lock_and_add(1);
    };
    model(2, 2, live, |job, _| {
        assert_eq!([0, 1].map(|lock| job.count(lock)), [2, 4]);
        all_is_over(job);
    });
}

#[test]
fn who_waits_for_a_lock_that_is_poisoned_is_told_and_others_find_it_free() {
    let live = |image: Image<'_>| match image.acquire(0) {
        Ok(successor) => {
            image.add(0);
            image.release(0, successor, true);
        }
        Err(error) => assert!(matches!(error, NotAcquired::Poisoned(_))),
    };
    model(2, 3, live, |job, _| {
        assert_eq!(job.count(0), 1);
        let state = job.state(0);
        assert_eq!((state.holder(), state.last()), (None, None));
        assert!(state.poisoner().is_some());
    });
}

#[test]
fn who_does_not_wait_is_told_who_holds_the_lock() {
    let live = |image: Image<'_>| match image.try_acquire(0) {
        Ok(successor) => {
            for again in [image.acquire(0), image.try_acquire(0)] {
                assert_eq!(again, Err(NotAcquired::AlreadyHeld));
            }
            image.add(0);
            image.release(0, successor, false);
        }
        Err(error) => assert_eq!(error, NotAcquired::Busy(1 - image.me)),
    };
    model(2, 2, live, |job, _| {
        assert!((1..=2).contains(&job.count(0)));
        all_is_over(job);
    });
}

#[test]
fn who_leaves_at_its_deadline_is_passed_over() {
    let live = |image: Image<'_>| match image.me {
        1 => drop(image.add_if_soon(0)),
        _ => image.lock_and_add(0),
    };
    model(3, 2, live, |job, _| {
        assert!((2..=3).contains(&job.count(0)));
        all_is_over(job);
    });
}

#[test]
fn several_who_leave_are_passed_over() {
    let live = |image: Image<'_>| match image.me {
        0 => image.lock_and_add(0),
        _ => drop(image.add_if_soon(0)),
    };
    model(3, 2, live, |job, _| {
        assert!((1..=3).contains(&job.count(0)));
        all_is_over(job);
    });
}

#[test]
fn who_has_left_waits_for_another_lock_and_comes_again() {
    let live = |image: Image<'_>| {
        if image.me == 0 {
            image.lock_and_add(0);
            return image.lock_and_add(1);
        }
        let left = !image.add_if_soon(0);
        image.lock_and_add(1);
        image.lock_and_add(0);
        if left {
            image.await_absence();
            image.add_if_soon(1);
        }
    };
    model(2, 2, live, |job, _| {
        assert!((2..=3).contains(&job.count(0)));
        assert!((2..=3).contains(&job.count(1)));
        all_is_over(job);
    });
}

#[test]
fn poison_passes_over_who_has_left() {
    let live = |image: Image<'_>| match image.me {
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
    model(3, 2, live, |job, _| {
        let state = job.state(0);
        assert_eq!((state.holder(), state.last()), (None, None));
        assert_eq!(state.poisoner(), Some(0));
    });
}

/// The next image can use the lock, whatever state it was left in.
fn is_usable(image: Image<'_>, lock: usize, killed: &[usize]) {
    for has_deadline in [false, true] {
        if let Err(error) = image.acquire_by(lock, has_deadline) {
            assert!(killed.iter().any(|&by| error == NotAcquired::Poisoned(by)));
            let word = &image.job.locks[lock].lock.state;
            word.fetch_and(State::UNPOISONED, Ordering::Relaxed);
            assert_eq!(image.acquire_by(lock, has_deadline), Ok(None));
        }
        image.release(lock, None, false);
        assert_eq!(image.job.state(lock), State::FREE);
    }
}

/// Kills the last image before each of its atomic operations in turn, until it gets through alive.
fn kill(
    images: usize,
    preemptions: usize,
    live: impl Fn(Image<'_>) -> Result<(), NotAcquired> + Send + Sync + Copy + 'static,
    is_expected: impl Fn(&NotAcquired, usize) -> bool + Send + Sync + Copy + 'static,
) {
    for steps in 0..200 {
        // What became of the last image in the interleavings.
        let fates = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = Arc::clone(&fates);
        let last = images - 1;
        let live = move |image: Image<'_>| {
            if image.me < last {
                return Some(live(image));
            }
            let result = primitives::live_for(steps, || live(image));
            if result.is_none() {
                model::raise_alarm(1 << last);
            }
            result
        };
        model_of(
            Form::Direct,
            images,
            preemptions,
            live,
            move |job, results| {
                let was_killed = results[last].is_none();
                seen.lock().unwrap().insert(was_killed);
                for (me, result) in results.iter().enumerate().take(last) {
                    if let Some(Err(error)) = result {
                        let is_right =
                            *error == NotAcquired::Poisoned(last) || is_expected(error, me);
                        assert!(is_right, "image {me} got {error:?} from {steps} steps");
                    }
                }
                if steps == 0 {
                    let poisoner = job.state(0).poisoner();
                    assert_ne!(poisoner, Some(last), "it died before it did anything");
                }
                let image = Image {
                    job,
                    me: 0,
                    form: Form::Direct,
                    tries: 0,
                };
                is_usable(image, 0, &(0..images).collect::<Vec<_>>());
            },
        );
        if !fates.lock().unwrap().contains(&true) {
            assert!(steps > 2, "it was never killed");
            return;
        }
    }
    panic!("it was killed however long it was let live");
}

fn never(_: &NotAcquired, _: usize) -> bool {
    false
}

#[test]
fn of_two_images_one_dies_at_any_instruction() {
    kill(2, 3, |image| image.try_to_add(0, false), never);
}

#[test]
fn of_three_images_one_dies_at_any_instruction() {
    kill(3, 2, |image| image.try_to_add(0, false), never);
}

#[test]
fn of_three_images_one_dies_and_one_gives_up() {
    let live = |image: Image<'_>| image.try_to_add(0, image.me == 1);
    kill(3, 2, live, |error, me| {
        me == 1 && *error == NotAcquired::TimedOut
    });
}

#[test]
fn of_three_images_one_gives_up_and_dies() {
    let live = |image: Image<'_>| {
        let is_last = image.me == 2;
        match image.try_to_add(0, is_last) {
            Err(NotAcquired::TimedOut) => image.try_to_add(0, false),
            other => other,
        }
    };
    kill(3, 2, live, never);
}

#[test]
fn an_image_dies_and_a_survivor_waits_again_and_elsewhere() {
    let live = |image: Image<'_>| {
        image.try_to_add(0, false)?;
        if image.me == 0 {
            assert_eq!(image.try_to_add(1, false), Ok(()));
        }
        image.try_to_add(0, false)
    };
    kill(2, 3, live, never);
}

#[test]
fn who_mends_the_lock_of_a_dead_holder_dies_at_any_instruction() {
    let live = |image: Image<'_>| {
        if image.me == 1 {
            // It dies here.
            if image.acquire(0).is_ok() {
                image.add(0);
            }
            model::raise_alarm(1 << 1);
            return Ok(());
        }
        image.try_to_add(0, false)
    };
    kill(3, 2, live, |error, me| {
        me == 0 && *error == NotAcquired::Poisoned(1)
    });
}

#[test]
fn a_grant_of_a_former_wait_gives_nobody_the_lock() {
    let live = |image: Image<'_>| {
        if image.me == 1 {
            return (0..2).for_each(|_| image.lock_and_add(0));
        }
        // Some image dies; and one that was slow grants another what that found itself.
        model::raise_alarm(1 << 2);
        let successor = image.acquire(0).expect("nobody poisons it");
        image.user(0).grant(1, 1);
        image.add(0);
        image.release(0, successor, false);
    };
    model_of(Form::Direct, 2, 3, live, |job, _| {
        assert_eq!(job.count(0), 3);
        assert_eq!(job.state(0), State::FREE);
    });
}
