//! The checked barrier in every interleaving, and every order in which memory may show writes, also when
//! images fail meanwhile.
//!
//! loom runs the very sources of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod arrival;
    pub(crate) mod barrier;
    pub(crate) mod checked_barrier;
    pub(crate) mod eventcount;
}

#[path = "loom/lookout.rs"]
mod lookout;
#[path = "loom/scope.rs"]
mod scope;

use std::sync::Arc;

use lockfree::arrival::Signature;
use lockfree::barrier::Barrier;
use lockfree::checked_barrier::BarrierError;
use lockfree::eventcount::SpinPolicy;
use lookout::{ENDED, Stop, failed};
use loom::cell::UnsafeCell;
use loom::thread;
use scope::TeamScope;

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};
const SPIN_AND_YIELD: SpinPolicy = SpinPolicy {
    spins: 1,
    yields: 1,
};

/// The algorithm of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FabricHandle {
    By(Barrier),
    /// A tree without branches.
    InARow,
}

const WAYS: [FabricHandle; 5] = [
    FabricHandle::By(Barrier::Flat),
    FabricHandle::By(Barrier::Dissemination),
    FabricHandle::By(Barrier::Tree),
    FabricHandle::By(Barrier::Central),
    FabricHandle::InARow,
];

/// The barrier's state, and values that show whether all images have entered.
struct Job {
    scope: TeamScope,
    /// Two values for each image, used in turn, written by plain stores.
    written: Vec<[UnsafeCell<u64>; 2]>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Job {}

impl Job {
    fn new(images: usize, patience: SpinPolicy) -> Arc<Self> {
        Arc::new(Self {
            scope: TeamScope::new(images, patience),
            written: (0..images)
                .map(|_| [UnsafeCell::new(0), UnsafeCell::new(0)])
                .collect(),
        })
    }

    /// Returns the images that failed before they entered.
    fn pass(
        &self,
        me: usize,
        number: u64,
        signature: &Signature,
        way: FabricHandle,
    ) -> Result<Vec<usize>, BarrierError<Stop>> {
        let words = [number, me as u64, 7, 9];
        let met = match way {
            FabricHandle::By(barrier) => self.scope.meet_by(me, number, signature, &words, barrier),
            FabricHandle::InARow => self.scope.meet_in_a_row(me, number, signature, &words),
        };
        if met.is_ok() {
            for image in 0..self.scope.images() {
                assert_eq!(
                    self.scope.words(image, number),
                    [number, image as u64, 7, 9]
                );
            }
        }
        met
    }

    fn write(&self, me: usize, number: u64) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.written[me][(number & 1) as usize].with_mut(|value| unsafe { *value = number });
    }

    /// Checks that all images wrote before they entered, except those missing.
    fn read(&self, me: usize, number: u64, missing: &[usize]) {
        for image in (0..self.scope.images()).filter(|image| !missing.contains(image)) {
            // SAFETY: loom fails the model if another thread uses the cell at the same time.
            let value = self.written[image][(number & 1) as usize].with(|value| unsafe { *value });
            assert_eq!(
                value, number,
                "image {me} came out before image {image} went in"
            );
        }
    }
}

/// Runs `body` on the images of a job in all interleavings with at most `preemptions` preemptions, and passes
/// the results to `check`.
fn model<R: 'static>(
    images: usize,
    patience: SpinPolicy,
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

fn barriers(
    images: usize,
    patience: SpinPolicy,
    preemptions: usize,
    count: u64,
    way: FabricHandle,
) {
    let body = move |job: &Job, me| {
        for number in 1..=count {
            job.write(me, number);
            assert_eq!(
                job.pass(me, number, &[number, number, number, 0], way),
                Ok(Vec::new())
            );
            job.read(me, number, &[]);
        }
    };
    model(images, patience, preemptions, body, |_| ());
}

#[test]
fn two_images_pass_consecutive_barriers_together_when_they_sleep_at_once() {
    for way in WAYS {
        barriers(2, SLEEP_AT_ONCE, 3, 3, way);
    }
}

#[test]
fn two_images_pass_consecutive_barriers_together_when_they_spin_and_yield_first() {
    for way in WAYS {
        barriers(2, SPIN_AND_YIELD, 3, 3, way);
    }
}

#[test]
fn three_images_pass_consecutive_barriers_together_when_they_sleep_at_once() {
    for way in WAYS {
        barriers(3, SLEEP_AT_ONCE, 1, 2, way);
    }
}

#[test]
fn three_images_pass_a_barrier_together_when_they_sleep_at_once() {
    for way in WAYS {
        barriers(3, SLEEP_AT_ONCE, 2, 1, way);
    }
}

#[test]
fn two_images_pass_barriers_of_all_kinds_in_turn() {
    let body = |job: &Job, me| {
        for (number, way) in (1..).zip(WAYS) {
            job.write(me, number);
            assert_eq!(
                job.pass(me, number, &[number, number, number, 0], way),
                Ok(Vec::new())
            );
            job.read(me, number, &[]);
        }
    };
    model(2, SLEEP_AT_ONCE, 2, body, |_| ());
}

/// Runs one barrier in which each image has its own operation and its own algorithm, and checks the errors.
fn disagree<const N: usize>(
    patience: SpinPolicy,
    preemptions: usize,
    operations: [u64; N],
    ways: [FabricHandle; N],
) {
    let body = move |job: &Job, me: usize| {
        let result = job.pass(me, 1, &[1, 1, 1, operations[me]], ways[me]);
        if result.is_err() {
            primitives::raise_alarm(ENDED);
        }
        result
    };
    let does = move |image: usize| (operations[image], ways[image]);
    model(N, patience, preemptions, body, move |results| {
        let mut mismatches = 0;
        for (me, result) in results.into_iter().enumerate() {
            match result {
                Ok(_) => panic!("image {me} came out of {operations:?} by {ways:?}"),
                Err(BarrierError::Mismatch { image }) => {
                    assert_ne!(does(me), does(image), "image {me} blames image {image}");
                    mismatches += 1;
                }
                Err(BarrierError::Stopped(stop)) => assert_eq!(stop, Stop::Ended),
            }
        }
        assert!(mismatches > 0, "everybody ended, and nobody knows why");
    });
}

#[test]
fn of_two_images_that_disagree_none_comes_out_and_one_knows_why() {
    for way in WAYS {
        disagree(SLEEP_AT_ONCE, 3, [1, 2], [way; 2]);
        disagree(SPIN_AND_YIELD, 3, [1, 2], [way; 2]);
    }
}

#[test]
fn of_three_images_of_which_one_disagrees_none_comes_out_and_one_knows_why() {
    for way in WAYS {
        disagree(SLEEP_AT_ONCE, 1, [2, 1, 1], [way; 3]);
        disagree(SLEEP_AT_ONCE, 1, [1, 2, 1], [way; 3]);
        disagree(SLEEP_AT_ONCE, 1, [1, 1, 2], [way; 3]);
    }
}

#[test]
fn of_three_images_that_all_disagree_none_comes_out_and_one_knows_why() {
    for way in WAYS {
        disagree(SLEEP_AT_ONCE, 1, [1, 2, 3], [way; 3]);
    }
}

#[test]
fn of_two_images_with_different_barriers_none_comes_out_and_one_knows_why() {
    for one in Barrier::ALL {
        for other in Barrier::ALL.into_iter().filter(|other| *other != one) {
            disagree(SLEEP_AT_ONCE, 2, [1, 1], [one, other].map(FabricHandle::By));
        }
    }
}

#[test]
fn of_three_images_of_which_one_has_a_different_barrier_none_comes_out_and_one_knows_why() {
    use Barrier::{Central, Dissemination, Flat, Tree};
    disagree(
        SLEEP_AT_ONCE,
        1,
        [1; 3],
        [Central, Tree, Central].map(FabricHandle::By),
    );
    disagree(
        SLEEP_AT_ONCE,
        1,
        [1; 3],
        [Tree, Tree, Dissemination].map(FabricHandle::By),
    );
    disagree(
        SLEEP_AT_ONCE,
        1,
        [1; 3],
        [Flat, Central, Tree].map(FabricHandle::By),
    );
}

/// Image 2 fails before it enters; the survivors disagree.
#[test]
fn of_two_survivors_that_disagree_none_comes_out_and_one_knows_why() {
    for way in WAYS {
        let body = move |job: &Job, me: usize| {
            if me == 2 {
                primitives::raise_alarm(failed(2));
                return None;
            }
            let result = job.pass(me, 1, &[1, 1, 1, me as u64], way);
            primitives::raise_alarm(ENDED);
            Some(result)
        };
        model(3, SLEEP_AT_ONCE, 2, body, |results| {
            let results: Vec<_> = results.into_iter().flatten().collect();
            let mismatch = |image| Err(BarrierError::Mismatch { image });
            let ended = Err(BarrierError::Stopped(Stop::Ended));
            assert!(results[0] == mismatch(1) || results[0] == ended);
            assert!(results[1] == mismatch(0) || results[1] == ended);
            assert!(results[0] != ended || results[1] != ended);
        });
    }
}
