//! The checked barrier in every interleaving, and every order in which memory may show writes, also when
//! images fail on the way.
//!
//! loom runs the very sources of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/lookout.rs"]
mod lookout;
#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/rendezvous.rs"]
mod rendezvous;
#[path = "../src/tally.rs"]
mod tally;

use std::sync::Arc;

use lookout::{ENDED, Lookout, Stop, failed};
use loom::cell::UnsafeCell;
use loom::thread;
use rendezvous::{Arrival, Line, Passage, Refusal, Tag};
use tally::Patience;

/// Rounds of a barrier of up to four images.
const ROUNDS: usize = 2;

const SLEEP_AT_ONCE: Patience = Patience {
    spins: 0,
    yields: 0,
};
const SPIN_AND_YIELD: Patience = Patience {
    spins: 1,
    yields: 1,
};

/// What the images share, and how they wait.
struct Job {
    images: usize,
    patience: Patience,
    arrivals: Vec<Arrival>,
    lines: Vec<[[Line; ROUNDS]; 2]>,
    /// For each image two values that take turns, written with plain stores.
    written: Vec<[UnsafeCell<u64>; 2]>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Job {}

impl Job {
    fn new(images: usize, patience: Patience) -> Arc<Self> {
        Arc::new(Self {
            images,
            patience,
            arrivals: (0..images).map(|_| Arrival::default()).collect(),
            lines: (0..images).map(|_| Default::default()).collect(),
            written: (0..images)
                .map(|_| [UnsafeCell::new(0), UnsafeCell::new(0)])
                .collect(),
        })
    }

    /// Returns the images that failed before they arrived.
    fn meet(&self, me: usize, number: u64, tag: &Tag) -> Result<Vec<usize>, Refusal<Stop>> {
        let passage = Passage {
            me,
            images: self.images,
            number,
            tag,
            patience: self.patience,
        };
        self.arrivals[me].enter(number, tag);
        let line = |image: usize, set: usize, round: usize| &self.lines[image][set][round];
        match rendezvous::meet(&passage, line, |_| Lookout(u32::MAX)) {
            Ok(()) => Ok(Vec::new()),
            Err(Refusal::Stopped(Stop::Failed)) => rendezvous::meet_survivors(
                &passage,
                |image| &self.arrivals[image],
                |image| primitives::alarm() & failed(image) != 0,
                |image| Lookout(failed(image)),
            ),
            Err(refusal) => Err(refusal),
        }
    }

    fn write(&self, me: usize, number: u64) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.written[me][(number & 1) as usize].with_mut(|value| unsafe { *value = number });
    }

    /// Checks that all images but those missing wrote before they went in.
    fn read(&self, me: usize, number: u64, missing: &[usize]) {
        for image in (0..self.images).filter(|image| !missing.contains(image)) {
            // SAFETY: loom fails the model if another thread uses the cell at the same time.
            let value = self.written[image][(number & 1) as usize].with(|value| unsafe { *value });
            assert_eq!(
                value, number,
                "image {me} came out before image {image} went in"
            );
        }
    }
}

/// Runs `body` on the images of a job in all interleavings with at most so many preemptions, and hands
/// what it returned to `check`.
fn model<R: 'static>(
    images: usize,
    patience: Patience,
    preemptions: usize,
    body: impl Fn(&Job, usize) -> R + Send + Sync + Copy + 'static,
    check: impl Fn(Vec<R>) + Send + Sync + 'static,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let job = Job::new(images, patience);
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
        check(results);
    });
}

fn barriers(images: usize, patience: Patience, preemptions: usize, count: u64) {
    let body = move |job: &Job, me| {
        for number in 1..=count {
            job.write(me, number);
            assert_eq!(job.meet(me, number, &[7; 4]), Ok(Vec::new()));
            job.read(me, number, &[]);
        }
    };
    model(images, patience, preemptions, body, |_| ());
}

#[test]
fn two_images_pass_consecutive_barriers_together_when_they_sleep_at_once() {
    barriers(2, SLEEP_AT_ONCE, 3, 3);
}

#[test]
fn two_images_pass_consecutive_barriers_together_when_they_spin_and_yield_first() {
    barriers(2, SPIN_AND_YIELD, 3, 3);
}

#[test]
fn three_images_pass_a_barrier_together_when_they_sleep_at_once() {
    barriers(3, SLEEP_AT_ONCE, 2, 1);
}

/// Lets the images meet once, each with its own tag, and checks what becomes of them.
fn disagree<const N: usize>(patience: Patience, preemptions: usize, operations: [u64; N]) {
    let body = move |job: &Job, me: usize| {
        let result = job.meet(me, 1, &[1, 1, 1, operations[me]]);
        if result.is_err() {
            primitives::raise_alarm(ENDED);
        }
        result
    };
    model(N, patience, preemptions, body, move |results| {
        let mut mismatches = 0;
        for (me, result) in results.into_iter().enumerate() {
            match result {
                Ok(_) => panic!("image {me} came out, although {operations:?} differ"),
                Err(Refusal::Mismatch { image }) => {
                    assert_ne!(
                        operations[me], operations[image],
                        "image {me} blames image {image}"
                    );
                    mismatches += 1;
                }
                Err(Refusal::Stopped(stop)) => assert_eq!(stop, Stop::Ended),
            }
        }
        assert!(mismatches > 0, "everybody ended, and nobody knows why");
    });
}

#[test]
fn of_two_images_that_disagree_none_comes_out_and_one_knows_why() {
    disagree(SLEEP_AT_ONCE, 3, [1, 2]);
    disagree(SPIN_AND_YIELD, 3, [1, 2]);
}

#[test]
fn of_three_images_of_which_one_disagrees_none_comes_out_and_one_knows_why() {
    disagree(SLEEP_AT_ONCE, 2, [2, 1, 1]);
    disagree(SLEEP_AT_ONCE, 2, [1, 2, 1]);
    disagree(SLEEP_AT_ONCE, 2, [1, 1, 2]);
}

#[test]
fn of_three_images_that_all_disagree_none_comes_out_and_one_knows_why() {
    disagree(SLEEP_AT_ONCE, 2, [1, 2, 3]);
}

/// The image `victim` fails when it has taken `steps` steps of its first barrier; the others pass two. They
/// agree in each about who was there, and see what those wrote.
fn fail_on_the_way(images: usize, preemptions: usize, victim: usize, steps: usize) {
    let body = move |job: &Job, me: usize| {
        let mut missing = Vec::new();
        for number in 1..=2 {
            job.write(me, number);
            if me == victim {
                // Killed before it entered, after, or after its first signal.
                if steps > 0 {
                    job.arrivals[me].enter(number, &[7; 4]);
                }
                if steps > 1 {
                    let ahead = (me + 1) % job.images;
                    job.lines[ahead][1][0].send(number, &[7; 4]);
                }
                primitives::raise_alarm(failed(victim));
                return None;
            }
            let absent = job.meet(me, number, &[7; 4]).expect("nobody disagrees");
            job.read(me, number, &absent);
            missing.push(absent);
        }
        Some(missing)
    };
    model(images, SLEEP_AT_ONCE, preemptions, body, move |results| {
        let first: &[usize] = if steps == 0 { &[victim] } else { &[] };
        for missing in results.into_iter().flatten() {
            assert_eq!(missing, [first, &[victim]], "all images see the same");
        }
    });
}

#[test]
fn the_survivor_of_two_passes_alone() {
    for steps in 0..=2 {
        fail_on_the_way(2, 3, 1, steps);
        fail_on_the_way(2, 3, 0, steps);
    }
}

#[test]
fn the_survivors_of_three_agree_about_who_was_there() {
    for steps in 0..=2 {
        fail_on_the_way(3, 1, 2, steps);
    }
    fail_on_the_way(3, 1, 0, 1);
}

/// Image 1 has failed before; image 2 fails after it has entered. So it was there, whenever image 0 looks.
#[test]
fn an_image_that_enters_and_fails_while_others_look_was_there() {
    let body = |job: &Job, me: usize| {
        job.write(me, 1);
        match me {
            0 => {
                let absent = job.meet(me, 1, &[7; 4]).expect("nobody disagrees");
                job.read(me, 1, &absent);
                return Some(absent);
            }
            1 => {}
            _ => job.arrivals[me].enter(1, &[7; 4]),
        }
        primitives::raise_alarm(failed(me));
        None
    };
    model(3, SLEEP_AT_ONCE, 2, body, |results| {
        let absent: Vec<Vec<usize>> = results.into_iter().flatten().collect();
        assert_eq!(absent, [[1]]);
    });
}
