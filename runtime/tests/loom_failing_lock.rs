//! The lock when an image dies before any of its instructions: the others can go on to use it, in every interleaving.
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

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use images::{Form, Image, model_of};
use lockfree::lock_state::{NotAcquired, State};
use primitives::Ordering;

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
