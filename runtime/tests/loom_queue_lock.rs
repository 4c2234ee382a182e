//! The lock in every interleaving, and every order in which memory may show writes: of words that images change by instructions, and of
//! words that they change through a fabric.
//!
//! loom runs the very sources of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/images_with_locks.rs"]
mod images;
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

use images::{Form, Guarded, Image, Job, model_of};
use lockfree::lock_state::{NotAcquired, State};
use lockfree::queue_lock::{LEFT, Words};
use primitives::Ordering;

const FORMS: [Form; 2] = [Form::Direct, Form::Fabric];

/// As [`model_of`], in both forms.
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
