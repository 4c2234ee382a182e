//! Posts that one image leaves and another reads at its own pace, in every interleaving and every order in which memory may show writes.
//!
//! loom runs the very source of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod arrival;
    pub(crate) mod eventcount;
    pub(crate) mod post_ring;
}

#[path = "loom/lookout.rs"]
mod lookout;

use std::sync::Arc;

use lockfree::eventcount::{Eventcount, SpinPolicy, until};
use lockfree::post_ring::PostRing;
use lookout::Lookout;
use loom::cell::UnsafeCell;
use loom::thread;

const PATIENCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// How many posts the ring keeps in the model.
const KEPT: usize = 2;

#[derive(Default)]
struct Team {
    posts: PostRing<KEPT>,
    /// Longer values, beside each slot.
    values: [UnsafeCell<u64>; KEPT],
    /// How many barriers each image has entered.
    barriers: [Eventcount; 2],
}

// SAFETY: loom fails the model if a thread uses a cell while another writes it.
unsafe impl Sync for Team {}

impl Team {
    fn post(&self, number: u64) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.values[number as usize % KEPT].with_mut(|value| unsafe { *value = 10 + number });
        let signature = [number, 0, 0, 0];
        self.posts.post(
            number,
            &[number, 1, 2],
            &signature,
            number + 5,
            number + 7,
            true,
        );
    }

    fn read(&self, number: u64) {
        let slot = self.posts.slot(number);
        until(&slot.signal, number + 1, PATIENCE, || Lookout(0)).unwrap();
        assert!(slot.agrees(&[number, 0, 0, 0]));
        assert_eq!(slot.words_beside(), [number, 1, 2]);
        assert_eq!(self.posts.record(number), number + 5);
        // SAFETY: loom fails the model if another thread writes the cell at the same time.
        let value = self.values[number as usize % KEPT].with(|value| unsafe { *value });
        assert_eq!(value, 10 + number);
    }

    fn barrier(&self, me: usize, number: u64) {
        self.barriers[me].advance_to(number);
        until(&self.barriers[1 - me], number, PATIENCE, || Lookout(0)).unwrap();
    }
}

/// Image 0 posts so often, and image 1 reads; they pass a barrier whenever `is_due`.
fn model(posts: u64, is_due: impl Fn(u64) -> bool + Clone + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let team = Arc::new(Team::default());
        let poster = {
            let (team, is_due) = (Arc::clone(&team), is_due.clone());
            thread::spawn(move || {
                for number in 0..posts {
                    if is_due(number) {
                        team.barrier(0, number);
                        assert_eq!(team.posts.posted(), number);
                    }
                    team.post(number);
                }
            })
        };
        for number in 0..posts {
            if is_due(number) {
                team.barrier(1, number);
                // A report would find the posts before the barrier.
                assert!(team.posts.posted() >= number);
            }
            team.read(number);
        }
        poster.join().unwrap();
    });
}

#[test]
fn each_post_is_read_as_it_was_written() {
    model(3, |number| number == KEPT as u64);
}

#[test]
fn a_barrier_may_come_earlier() {
    model(3, |number| number == 1);
}

/// Shows that the model would notice a slot that is written while it is read.
#[test]
#[should_panic(expected = "slot.agrees")]
fn without_a_barrier_a_post_is_overwritten() {
    model(3, |_| false);
}
