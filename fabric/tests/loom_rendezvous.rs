//! The checked barrier in every interleaving, and every order in which memory may show writes.
//!
//! loom runs the very sources of the library. The futex is modelled without its heartbeat, so that a lost
//! wake-up is a deadlock.

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/rendezvous.rs"]
mod rendezvous;
#[path = "../src/wait.rs"]
mod wait;

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;
use rendezvous::{Line, Refusal, Tag};
use wait::{Patience, SLEEPING};

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
    lines: Vec<[[Line; ROUNDS]; 2]>,
    /// For each image two values that take turns, written with plain stores.
    written: Vec<[UnsafeCell<u32>; 2]>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Job {}

impl Job {
    fn new(images: usize, patience: Patience) -> Arc<Self> {
        Arc::new(Self {
            images,
            patience,
            lines: (0..images).map(|_| Default::default()).collect(),
            written: (0..images)
                .map(|_| [UnsafeCell::new(0), UnsafeCell::new(0)])
                .collect(),
        })
    }

    fn meet(&self, me: usize, number: u32, tag: &Tag) -> Result<(), Refusal> {
        let line = |image: usize, set: usize, round: usize| &self.lines[image][set][round];
        rendezvous::meet(
            me,
            self.images,
            number,
            tag,
            line,
            self.patience,
            primitives::job_has_ended,
        )
    }

    /// Writes, meets, and reads what everybody wrote.
    fn write_meet_and_read(&self, me: usize, number: u32) {
        let turn = (number & 1) as usize;
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.written[me][turn].with_mut(|value| unsafe { *value = number });
        assert_eq!(self.meet(me, number, &[7; 4]), Ok(()));
        for image in 0..self.images {
            // SAFETY: as above.
            let value = self.written[image][turn].with(|value| unsafe { *value });
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

fn barriers(images: usize, patience: Patience, preemptions: usize, first: u32, count: u32) {
    let body = move |job: &Job, me| {
        (0..count).for_each(|barrier| job.write_meet_and_read(me, first.wrapping_add(barrier)));
    };
    model(images, patience, preemptions, body, |_| ());
}

#[test]
fn two_images_pass_consecutive_barriers_together_when_they_sleep_at_once() {
    barriers(2, SLEEP_AT_ONCE, 3, 1, 3);
}

#[test]
fn two_images_pass_consecutive_barriers_together_when_they_spin_and_yield_first() {
    barriers(2, SPIN_AND_YIELD, 3, 1, 3);
}

#[test]
fn three_images_pass_a_barrier_together_when_they_sleep_at_once() {
    barriers(3, SLEEP_AT_ONCE, 2, 1, 1);
}

#[test]
fn barrier_numbers_run_into_the_sleeping_bit_and_around_without_harm() {
    barriers(2, SLEEP_AT_ONCE, 2, SLEEPING - 2, 3);
    barriers(2, SLEEP_AT_ONCE, 2, u32::MAX - 1, 3);
}

/// Lets the images meet once, each with its own tag, and checks what becomes of them.
fn disagree<const N: usize>(patience: Patience, preemptions: usize, operations: [u64; N]) {
    let body = move |job: &Job, me: usize| {
        let result = job.meet(me, 1, &[1, 1, 1, operations[me]]);
        if result.is_err() {
            primitives::end_job();
        }
        result
    };
    model(N, patience, preemptions, body, move |results| {
        let mut mismatches = 0;
        for (me, result) in results.into_iter().enumerate() {
            match result {
                Ok(()) => panic!("image {me} came out, although {operations:?} differ"),
                Err(Refusal::Mismatch { image }) => {
                    assert_ne!(
                        operations[me], operations[image],
                        "image {me} blames image {image}"
                    );
                    mismatches += 1;
                }
                Err(Refusal::Ended) => {}
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
