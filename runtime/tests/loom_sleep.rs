//! Detection of deadlocks, in every interleaving and every order in which memory may show writes: images that it finds
//! asleep never wake up, and it finds images that all wait in vain. On one node, and on several, whose images give signals
//! that arrive as late as they may.
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

/// A step of an image that has a node of its own.
#[derive(Clone, Copy)]
enum Far {
    /// Gives that image a signal, which is under way until it is completed.
    Give(usize),
    /// Waits for this number of signals.
    Await(u64),
}
use Far::{Await, Give};

/// What the nodes have. Only signals change what others see of a node.
struct Nodes {
    records: Vec<SleepRecord>,
    signals: Vec<AtomicU64>,
}

impl Nodes {
    fn new(images: usize) -> Self {
        Self {
            records: (0..images).map(|_| SleepRecord::default()).collect(),
            signals: (0..images).map(|_| AtomicU64::default()).collect(),
        }
    }

    /// Takes the steps. A sleep lasts until the end of the model.
    fn live(&self, image: usize, steps: &[Far]) {
        let mut under_way = Vec::new();
        for step in steps {
            match *step {
                Give(other) => under_way.push(other),
                Await(target) => loop {
                    let seen = self.signals[image].load(Ordering::Acquire);
                    if seen >= target {
                        break;
                    }
                    // An image completes its signals before it counts as asleep.
                    for other in under_way.drain(..) {
                        self.signals[other].fetch_add(1, Ordering::Release);
                    }
                    self.records[image].prepare_park(Awaited {
                        signal: image as u64,
                        seen,
                        ..Awaited::PRIVATE
                    });
                    if self.signals[image].load(Ordering::Acquire) == seen {
                        return;
                    }
                    self.records[image].unpark();
                },
            }
        }
    }

    /// The answer of a node to the question whether it is at a standstill: in which sleep.
    fn answer(&self, node: usize) -> Option<u64> {
        let record = |_| Some(&self.records[node]);
        let has_arrived = |awaited: Awaited| {
            self.signals[awaited.signal as usize].load(Ordering::Acquire) != awaited.seen
        };
        let sleeps = lockfree::sleep::find_all_asleep(1, record, 0, has_arrived).ok()?;
        sleeps.first()?.map(|sleep| sleep.number())
    }

    /// Whether all nodes say twice that they are at a standstill, in the same sleeps.
    fn seem_deadlocked(&self) -> bool {
        let answers = || {
            let nodes = 0..self.records.len();
            nodes
                .map(|node| self.answer(node))
                .collect::<Option<Vec<_>>>()
        };
        answers().is_some_and(|first| answers().is_some_and(|second| first == second))
    }
}

/// As [`look`], on a node for each image.
fn look_at_nodes(programs: &'static [&'static [Far]], preemptions: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let nodes = Arc::new(Nodes::new(programs.len()));
        let images: Vec<_> = (0..programs.len())
            .map(|image| {
                let nodes = Arc::clone(&nodes);
                thread::spawn(move || nodes.live(image, programs[image]))
            })
            .collect();
        let found = nodes.seem_deadlocked();
        for image in images {
            image.join().expect("loom reports panics itself");
        }
        assert!(!found || nodes.seem_deadlocked(), "a signal was under way");
    });
}

#[test]
fn a_signal_that_is_under_way_keeps_its_receiver_awake() {
    look_at_nodes(&[&[Give(1), Await(1)], &[Await(1), Give(0)]], 2);
    look_at_nodes(&[&[Await(1), Give(1), Await(2)], &[Give(0), Await(1)]], 2);
}

#[test]
fn images_of_several_nodes_that_wait_for_more_signals_than_were_given_are_found() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let nodes = Arc::new(Nodes::new(2));
        let other = {
            let nodes = Arc::clone(&nodes);
            thread::spawn(move || nodes.live(1, &[Give(0), Await(1)]))
        };
        nodes.live(0, &[Await(2)]);
        other.join().unwrap();
        // If the signal came during its sleep, the image wakes, and sleeps again.
        if nodes.answer(0).is_none() {
            nodes.records[0].unpark();
            nodes.live(0, &[Await(2)]);
        }
        assert!(nodes.seem_deadlocked());
    });
}
