//! The formation of teams in every interleaving: what each image asks for reaches all, also when they form
//! teams again at once, and all come to the same teams.
//!
//! loom runs the very sources of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod barrier;
    pub(crate) mod card;
    pub(crate) mod formation;
    pub(crate) mod rendezvous;
    pub(crate) mod tally;
}

#[path = "loom/hall.rs"]
mod hall;
#[path = "loom/lookout.rs"]
mod lookout;

use std::sync::Arc;

use hall::Hall;
use lockfree::barrier::Barrier;
use lockfree::formation::{Formation, Request};
use lockfree::tally::Patience;
use loom::thread;

const SLEEP_AT_ONCE: Patience = Patience {
    spins: 0,
    yields: 0,
};

/// Forms teams `times` times; each image asks for another team each time.
fn form(hall: &Hall, me: usize, times: u64) -> Vec<Formation> {
    let wish = |image: usize, time: u64| (image as u64 + time) % 2;
    (1..=times)
        .map(|number| {
            let words = [wish(me, number), 7, 7];
            let met = hall.meet_by(me, number, &[1; 4], &words, Barrier::Flat);
            assert_eq!(met, Ok(Vec::new()));
            let requests: Vec<Request> = (0..hall.images())
                .map(|image| Request {
                    image,
                    number: hall.words(image, number)[0],
                    index: None,
                })
                .collect();
            for request in &requests {
                assert_eq!(request.number, wish(request.image, number), "at {number}");
            }
            Formation::arrange(&requests).expect("nobody asks for an index")
        })
        .collect()
}

fn model(count: usize, times: u64, preemptions: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let hall = Arc::new(Hall::new(count, SLEEP_AT_ONCE));
        let others: Vec<_> = (1..count)
            .map(|me| {
                let hall = Arc::clone(&hall);
                thread::spawn(move || form(&hall, me, times))
            })
            .collect();
        let mine = form(&hall, 0, times);
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
