//! The formation of teams in every interleaving: what each image asks for reaches all, also when they form
//! teams again at once, and all come to the same teams.
//!
//! loom runs the very sources of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "../src/formation.rs"]
mod formation;
#[path = "loom/lookout.rs"]
mod lookout;
#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/published.rs"]
mod published;
#[path = "../src/rendezvous.rs"]
mod rendezvous;
#[path = "../src/tally.rs"]
mod tally;

use std::sync::Arc;

use formation::{Formation, Request};
use lookout::Lookout;
use loom::thread;
use published::Published;
use rendezvous::{Arrival, Line, Passage};
use tally::Patience;

const SLEEP_AT_ONCE: Patience = Patience {
    spins: 0,
    yields: 0,
};

#[derive(Default)]
struct Image {
    arrival: Arrival,
    lines: [[Line; 2]; 2],
    published: Published,
}

/// Forms teams `times` times; each image asks for another team each time.
fn form(images: &[Image], me: usize, times: u64) -> Vec<Formation> {
    let wish = |image: usize, time: u64| (image as u64 + time) % 2;
    (1..=times)
        .map(|number| {
            images[me]
                .published
                .write(number, [wish(me, number), 7, 7, 7]);
            let passage = Passage {
                me,
                images: images.len(),
                number,
                tag: &[1; 4],
                patience: SLEEP_AT_ONCE,
            };
            images[me].arrival.enter(number, passage.tag);
            let line = |image: usize, set: usize, round: usize| &images[image].lines[set][round];
            assert_eq!(rendezvous::meet(&passage, line, |_| Lookout(0)), Ok(()));
            let requests: Vec<Request> = (0..images.len())
                .map(|image| Request {
                    image,
                    number: images[image].published.read(number)[0],
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
        let images: Arc<Vec<Image>> = Arc::new((0..count).map(|_| Image::default()).collect());
        let others: Vec<_> = (1..count)
            .map(|me| {
                let images = Arc::clone(&images);
                thread::spawn(move || form(&images, me, times))
            })
            .collect();
        let mine = form(&images, 0, times);
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
