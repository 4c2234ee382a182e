//! The lock in every interleaving, and every order in which memory may show writes, also when an image dies
//! before any of its instructions.
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

use std::sync::Arc;
use std::time::Duration;

use lockfree::eventcount::{Eventcount, SpinPolicy, WaitStrategy};
use lockfree::lock_state::NotAcquired;
use lockfree::queue_lock::{Acquirer, QueueLock, QueueNode, Waiter, Wake};
use loom::cell::UnsafeCell;
use loom::thread;

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// The state that the images share.
#[derive(Default)]
struct Job {
    lock: QueueLock,
    other_lock: QueueLock,
    nodes: Vec<QueueNode>,
    /// Changed by plain stores.
    count: UnsafeCell<u32>,
}

// SAFETY: loom fails the model if two threads use the cell at the same time.
unsafe impl Sync for Job {}

impl Job {
    fn image(&self, me: usize) -> Image<'_> {
        Image {
            job: self,
            me,
            lock: &self.lock,
            is_patient: true,
            spins: 0,
        }
    }
}

#[derive(Clone, Copy)]
struct Image<'a> {
    job: &'a Job,
    me: usize,
    lock: &'a QueueLock,
    is_patient: bool,
    /// Rounds of spinning before it joins the queue.
    spins: u32,
}

impl Image<'_> {
    fn lock(&self) -> Result<(), NotAcquired> {
        if self.lock.take_free(self.me) {
            return Ok(());
        }
        self.lock.lock_slowly(self)
    }

    fn try_lock(&self) -> Result<(), NotAcquired> {
        if self.lock.take_free(self.me) {
            return Ok(());
        }
        self.lock.try_slowly(self)
    }

    fn unlock(&self) {
        self.lock.unlock(self, false);
    }

    /// Adds to the count, not atomically.
    fn count(&self) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.job.count.with_mut(|count| unsafe { *count += 1 });
    }

    fn lock_and_count(&self) {
        assert_eq!(self.lock(), Ok(()));
        self.count();
        self.unlock();
    }
}

impl Acquirer for Image<'_> {
    fn me(&self) -> usize {
        self.me
    }

    fn lock(&self) -> u64 {
        if std::ptr::eq(self.lock, &self.job.lock) {
            1
        } else {
            2
        }
    }

    fn images(&self) -> usize {
        self.job.nodes.len()
    }

    fn node(&self, image: usize) -> &QueueNode {
        &self.job.nodes[image]
    }

    fn has_failed(&self, image: usize) -> bool {
        model::alarm() & 1 << image != 0
    }

    fn has_ended(&self) -> bool {
        false
    }

    fn patience(&self) -> SpinPolicy {
        SpinPolicy {
            spins: self.spins,
            yields: 0,
        }
    }
}

impl Waiter for Image<'_> {
    fn failure_epoch(&self) -> u32 {
        model::alarm()
    }

    fn wait(&self, granted: &Eventcount, number: u64, epoch: u32) -> Result<(), Wake> {
        lockfree::eventcount::until(granted, number, SLEEP_AT_ONCE, || Lookout {
            epoch,
            is_patient: self.is_patient,
        })
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

/// Runs `body` on the images of a job in all interleavings with at most `preemptions` preemptions, and passes
/// the results to `check`.
fn model<R: 'static>(
    images: usize,
    preemptions: usize,
    body: impl Fn(&Job, usize) -> R + Send + Sync + Copy + 'static,
    check: impl Fn(&Job, Vec<R>) + Send + Sync + 'static,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let job = Arc::new(Job {
            nodes: (0..images).map(|_| QueueNode::default()).collect(),
            ..Job::default()
        });
        let others: Vec<_> = (1..images)
            .map(|me| {
                let job = Arc::clone(&job);
                thread::spawn(move || body(&job, me))
            })
            .collect();
        let mut results = vec![body(&job, 0)];
        results.extend(
            others
                .into_iter()
                .map(|other| other.join().expect("loom reports panics itself")),
        );
        check(&job, results);
    });
}

fn assert_count(job: &Job, expected: u32) {
    assert_eq!(job.lock.holder(), None);
    // SAFETY: all other threads have ended.
    let count = job.count.with(|count| unsafe { *count });
    assert_eq!(count, expected);
}

#[test]
fn two_images_exclude_each_other_and_none_sleeps_for_ever() {
    let body = |job: &Job, me: usize| (0..2).for_each(|_| job.image(me).lock_and_count());
    model(2, 5, body, |job, _| assert_count(job, 4));
}

#[test]
fn three_images_exclude_each_other_and_none_sleeps_for_ever() {
    let body = |job: &Job, me: usize| job.image(me).lock_and_count();
    model(3, 3, body, |job, _| assert_count(job, 3));
}

#[test]
fn images_that_spin_before_they_queue_exclude_each_other_and_none_sleeps_for_ever() {
    let body = |job: &Job, me: usize| {
        let image = Image {
            spins: 2,
            ..job.image(me)
        };
        image.lock_and_count();
    };
    model(3, 3, body, |job, _| assert_count(job, 3));
}

#[test]
fn an_image_waits_for_one_lock_while_it_holds_another() {
    let body = |job: &Job, me: usize| {
        let inner = Image {
            lock: &job.other_lock,
            ..job.image(me)
        };
        if me == 0 {
            inner.lock_and_count();
        } else {
            assert_eq!(job.image(me).lock(), Ok(()));
            inner.lock_and_count();
            job.image(me).unlock();
        }
    };
    model(3, 3, body, |job, _| assert_count(job, 3));
}

#[test]
fn an_image_gives_up_or_gets_the_lock_but_never_both() {
    let body = |job: &Job, me: usize| {
        let image = Image {
            is_patient: me != 1,
            ..job.image(me)
        };
        let locked = image.lock();
        if locked.is_ok() {
            image.count();
            image.unlock();
        }
        locked
    };
    model(3, 3, body, |job, results| {
        for (me, result) in results.iter().enumerate() {
            assert!(result.is_ok() || me == 1 && *result == Err(NotAcquired::TimedOut));
        }
        let locked = results.iter().filter(|result| result.is_ok()).count();
        assert_count(job, locked as u32);
    });
}

#[test]
fn an_image_that_gave_up_can_wait_again() {
    let body = |job: &Job, me: usize| {
        if me == 1 {
            let impatient = Image {
                is_patient: false,
                ..job.image(me)
            };
            if impatient.lock().is_ok() {
                impatient.unlock();
            }
        }
        job.image(me).lock_and_count();
    };
    model(2, 5, body, |job, _| assert_count(job, 2));
}

#[test]
fn an_image_that_does_not_wait_gets_the_lock_or_hears_who_holds_it() {
    let body = |job: &Job, me: usize| {
        let image = job.image(me);
        if me == 0 {
            image.lock_and_count();
            return;
        }
        match image.try_lock() {
            Ok(()) => {
                assert_eq!(image.try_lock(), Err(NotAcquired::AlreadyHeld));
                assert_eq!(image.lock(), Err(NotAcquired::AlreadyHeld));
                image.count();
                image.unlock();
            }
            Err(error) => {
                assert_eq!(error, NotAcquired::Busy(0));
                image.lock_and_count();
            }
        }
    };
    model(2, 5, body, |job, _| assert_count(job, 2));
}

#[test]
fn all_waiters_hear_of_a_poisoned_lock() {
    let body = |job: &Job, me: usize| {
        let image = job.image(me);
        let locked = image.lock();
        if locked.is_ok() {
            job.lock.unlock(&image, me == 0);
        }
        locked
    };
    model(3, 3, body, |job, results| {
        assert_eq!(results[0], Ok(()));
        for result in results {
            assert!(matches!(result, Ok(()) | Err(NotAcquired::Poisoned(0))));
        }
        assert_eq!((job.lock.holder(), job.lock.poisoner()), (None, Some(0)));
        job.lock.clear_poison();
        assert_eq!(job.image(1).try_lock(), Ok(()));
    });
}

/// Kills the last image before each of its atomic operations in turn, until it gets through alive.
fn kill(images: usize, preemptions: usize, hurried: Option<usize>) {
    use std::sync::atomic::{AtomicBool, Ordering};

    for steps in 0..100 {
        let was_killed = Arc::new(AtomicBool::new(false));
        let killed = Arc::clone(&was_killed);
        let body = move |job: &Job, me: usize| {
            let image = Image {
                is_patient: hurried != Some(me),
                ..job.image(me)
            };
            let use_lock = || {
                let locked = image.lock();
                if locked.is_ok() {
                    image.count();
                    image.unlock();
                }
                locked
            };
            if me < images - 1 {
                return Some(use_lock());
            }
            let result = primitives::live_for(steps, use_lock);
            if result.is_none() {
                model::raise_alarm(1 << me);
            }
            result
        };
        model(images, preemptions, body, move |job, results| {
            let last = images - 1;
            if results[last].is_none() {
                killed.store(true, Ordering::Relaxed);
            }
            for (me, result) in results.iter().enumerate().take(last) {
                let expected = match result {
                    Some(Ok(())) => true,
                    Some(Err(NotAcquired::Poisoned(by))) => *by == last,
                    Some(Err(NotAcquired::TimedOut)) => hurried == Some(me),
                    _ => false,
                };
                assert!(expected, "image {me} got {result:?} from {steps} steps");
            }
            if steps == 0 {
                assert_eq!(job.lock.poisoner(), None, "it died before it did anything");
            }
            // The next image can use the lock, whatever state it was left in.
            job.lock.clear_poison();
            let image = job.image(0);
            if let Err(error) = image.lock() {
                assert_eq!(error, NotAcquired::Poisoned(last));
                job.lock.clear_poison();
                assert_eq!(image.lock(), Ok(()));
            }
            image.unlock();
            assert_eq!(job.lock.holder(), None);
        });
        if !was_killed.load(Ordering::Relaxed) {
            assert!(steps > 2, "it was never killed");
            return;
        }
    }
    panic!("it was killed however long it was let live");
}

#[test]
fn of_two_images_one_dies_at_any_instruction() {
    kill(2, 3, None);
}

#[test]
fn of_three_images_one_dies_at_any_instruction() {
    kill(3, 2, None);
}

#[test]
fn of_three_images_one_dies_and_one_gives_up() {
    kill(3, 2, Some(1));
}
