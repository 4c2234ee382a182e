//! All barriers, in every interleaving, when an image is killed before any of its instructions: the survivors agree
//! which images entered, and see what those images wrote.
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
    pub(crate) mod arrival;
    pub(crate) mod barrier;
    pub(crate) mod checked_barrier;
    pub(crate) mod eventcount;
}

#[path = "loom/lookout.rs"]
mod lookout;
#[path = "loom/scope.rs"]
mod scope;

use std::ops::Range;
use std::sync::Arc;

use lockfree::barrier::Barrier;
use lockfree::eventcount::SpinPolicy;
use lookout::failed;
use loom::thread;
use scope::TeamScope;

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// The atomic operations before the one with which an image enters: they write its payload and signature.
const ENTRY: u32 = 7;

/// The images that were missing in each barrier; none for a victim that was killed in its first barrier.
type Attendance = Option<Vec<Vec<usize>>>;

fn pass(scope: &TeamScope, me: usize, number: u64, barrier: Barrier) -> Vec<usize> {
    let words = [number, me as u64, 9, 7];
    let missing = scope
        .meet_by(me, number, &[7; 4], &words, barrier)
        .expect("nobody disagrees");
    for image in (0..scope.images()).filter(|image| !missing.contains(image)) {
        assert_eq!(scope.words(image, number), [number, image as u64, 9, 7]);
    }
    missing
}

/// The program of image `me`: the victim is killed after `steps` atomic operations, or after its first barrier; the
/// others pass two barriers.
fn attend(scope: &TeamScope, me: usize, victim: usize, steps: u32, barrier: Barrier) -> Attendance {
    if me == victim {
        let missing = primitives::live_for(steps, || pass(scope, me, 1, barrier));
        model::raise_alarm(failed(victim));
        return missing.map(|missing| vec![missing]);
    }
    Some(
        (1..=2)
            .map(|number| pass(scope, me, number, barrier))
            .collect(),
    )
}

fn kill(images: usize, preemptions: usize, victim: usize, lives: Range<u32>, barrier: Barrier) {
    for steps in lives {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        builder.max_branches = 10_000;
        builder.check(move || {
            let scope = Arc::new(TeamScope::new(images, SLEEP_AT_ONCE));
            let others: Vec<_> = (1..images)
                .map(|me| {
                    let scope = Arc::clone(&scope);
                    thread::spawn(move || attend(&scope, me, victim, steps, barrier))
                })
                .collect();
            let mut all = vec![attend(&scope, 0, victim, steps, barrier)];
            all.extend(others.into_iter().map(|other| other.join().unwrap()));
            let of_victim = all.remove(victim);
            let first: Vec<usize> = if steps <= ENTRY { vec![victim] } else { vec![] };
            for missing in all.into_iter().flatten() {
                assert_eq!(missing, [first.clone(), vec![victim]], "after {steps}");
            }
            if let Some(missing) = of_victim {
                assert_eq!(missing, [vec![]]);
            }
        });
    }
}

#[test]
fn the_survivor_of_two_meets_alone() {
    for barrier in Barrier::ALL {
        kill(2, 2, 0, ENTRY..ENTRY + 14, barrier);
        kill(2, 2, 1, ENTRY..ENTRY + 14, barrier);
    }
}

#[test]
fn the_survivors_of_three_agree_about_who_was_there() {
    for barrier in Barrier::ALL {
        kill(3, 1, 0, ENTRY..ENTRY + 8, barrier);
        kill(3, 1, 2, ENTRY..ENTRY + 8, barrier);
    }
}

/// Image 1 fails and never enters; image 2 enters and then fails. So image 0 always finds that image 2 entered.
#[test]
fn an_image_that_enters_and_fails_while_others_look_was_there() {
    for barrier in Barrier::ALL {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(move || {
            let scope = Arc::new(TeamScope::new(3, SLEEP_AT_ONCE));
            let others = [1, 2].map(|me| {
                let scope = Arc::clone(&scope);
                thread::spawn(move || {
                    if me == 2 {
                        scope.enter(me, 1, &barrier.mark(&[7; 4]), &[1, 2, 9, 7]);
                    }
                    model::raise_alarm(failed(me));
                })
            });
            assert_eq!(pass(&scope, 0, 1, barrier), [1]);
            for other in others {
                other.join().unwrap();
            }
        });
    }
}
