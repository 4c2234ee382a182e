//! The formation of teams in every interleaving: each image's request reaches all images, also when they form
//! teams again at once, and all compute the same teams.
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
    pub(crate) mod split;
}

#[path = "loom/lookout.rs"]
mod lookout;
#[path = "loom/scope.rs"]
mod scope;

use std::sync::Arc;

use lockfree::barrier::Barrier;
use lockfree::eventcount::SpinPolicy;
use lockfree::split::{Request, Split};
use loom::thread;
use scope::TeamScope;

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// Forms teams `times` times; each image asks for another team each time.
fn form(scope: &TeamScope, me: usize, times: u64) -> Vec<Split> {
    let key = |image: usize, time: u64| (image as u64 + time) % 2;
    (1..=times)
        .map(|number| {
            let words = [key(me, number), 7, 7, 7];
            let met = scope.meet_by(me, number, &[1; 4], &words, Barrier::Flat);
            assert_eq!(met, Ok(Vec::new()));
            let requests: Vec<Request> = (0..scope.images())
                .map(|image| Request {
                    image,
                    number: scope.words(image, number)[0],
                    index: None,
                })
                .collect();
            for request in &requests {
                assert_eq!(request.number, key(request.image, number), "at {number}");
            }
            Split::arrange(&requests).expect("nobody asks for an index")
        })
        .collect()
}

fn model(count: usize, times: u64, preemptions: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let scope = Arc::new(TeamScope::new(count, SLEEP_AT_ONCE));
        let others: Vec<_> = (1..count)
            .map(|me| {
                let scope = Arc::clone(&scope);
                thread::spawn(move || form(&scope, me, times))
            })
            .collect();
        let mine = form(&scope, 0, times);
        for other in others {
            assert_eq!(other.join().expect("loom reports panics itself"), mine);
        }
    });
}

#[test]
fn two_images_form_the_same_teams_three_times_in_a_row() {
    model(2, 3, 3);
}

#[test]
fn three_images_form_the_same_teams() {
    model(3, 1, 2);
}
