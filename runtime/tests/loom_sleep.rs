//! Detection of deadlocks, in every interleaving and every order in which memory may show writes: images that it finds
//! asleep never wake up, and it finds images that all wait in vain.
//!
//! loom runs the very source of the library.

// The model uses a part of the source.
#![allow(dead_code)]

#[path = "loom/stepping.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod sleep;
}

use std::sync::Arc;

use lockfree::sleep::{Awaited, SleepRecord};
use loom::thread;
use primitives::{AtomicU64, Ordering};

/// The state that the images share. Each image waits for its own eventcount.
struct Job {
    records: Vec<SleepRecord>,
    eventcounts: Vec<AtomicU64>,
}

/// A step of an image.
#[derive(Clone, Copy)]
enum Step {
    /// Posts to that image.
    Post(usize),
    /// Waits for this number of posts.
    Wait(u64),
}
use Step::{Post, Wait};

impl Job {
    fn new(images: usize) -> Self {
        Self {
            records: (0..images).map(|_| SleepRecord::default()).collect(),
            eventcounts: (0..images).map(|_| AtomicU64::default()).collect(),
        }
    }

    fn has_reached(&self, image: usize, target: u64) -> bool {
        self.eventcounts[image].load(Ordering::Acquire) >= target
    }

    /// Takes the steps. A wait that is not over at the image's first check lasts until the end of the model,
    /// like a long sleep.
    fn live(&self, image: usize, steps: &[Step]) {
        for step in steps {
            match *step {
                Post(other) => {
                    self.eventcounts[other].fetch_add(1, Ordering::AcqRel);
                }
                Wait(target) => {
                    self.records[image].prepare_park(Awaited::count(image as u64, target));
                    if !self.has_reached(image, target) {
                        return;
                    }
                    self.records[image].unpark();
                }
            }
        }
    }

    /// Whether the detection finds that no image will ever wake up.
    fn seems_deadlocked(&self) -> bool {
        let record = |image: usize| Some(&self.records[image]);
        let has_arrived =
            |awaited: Awaited| self.has_reached(awaited.eventcount as usize, awaited.target);
        lockfree::sleep::find_all_asleep(self.records.len(), record, 0, has_arrived).is_ok()
    }
}

/// Lets the images take their steps while this thread looks for a deadlock.
fn look(programs: &'static [&'static [Step]], preemptions: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let job = Arc::new(Job::new(programs.len()));
        let images: Vec<_> = (0..programs.len())
            .map(|image| {
                let job = Arc::clone(&job);
                thread::spawn(move || job.live(image, programs[image]))
            })
            .collect();
        let found = job.seems_deadlocked();
        for image in images {
            image.join().expect("loom reports panics itself");
        }
        assert!(!found || job.seems_deadlocked(), "somebody was to wake up");
    });
}

#[test]
fn of_two_images_that_wake_each_other_none_is_found_to_sleep_for_good() {
    look(&[&[Post(1), Wait(1)], &[Wait(1), Post(0)]], 3);
    look(&[&[Post(1), Wait(1)], &[Post(0), Wait(1)]], 3);
}

#[test]
fn images_that_sleep_again_and_again_are_not_found_in_a_mixture_of_sleeps() {
    look(
        &[&[Post(1), Wait(1), Post(1)], &[Wait(1), Post(0), Wait(2)]],
        2,
    );
    look(&[&[Wait(1), Wait(2)], &[Post(0), Wait(1), Post(0)]], 2);
}

#[test]
fn images_that_all_wait_in_vain_are_found() {
    loom::model(|| {
        let job = Arc::new(Job::new(2));
        let other = {
            let job = Arc::clone(&job);
            thread::spawn(move || job.live(1, &[Post(0), Wait(1)]))
        };
        job.live(0, &[Wait(2)]);
        other.join().unwrap();
        assert!(job.seems_deadlocked());
    });
}
