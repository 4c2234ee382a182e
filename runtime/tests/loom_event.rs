//! An eventcount that several images advance and one awaits, as in events, in every interleaving and every order in
//! which memory may show writes.
//!
//! loom runs the very source of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod eventcount;
}

#[path = "loom/lookout.rs"]
mod lookout;

use std::sync::Arc;

use lockfree::eventcount::{Eventcount, SpinPolicy};
use lookout::{ENDED, Lookout, Stop};
use loom::cell::UnsafeCell;
use loom::thread;

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};
const SPIN_AND_YIELD: SpinPolicy = SpinPolicy {
    spins: 1,
    yields: 1,
};

#[derive(Default)]
struct Event {
    posts: Eventcount,
    /// The data that each post announces, written by plain stores.
    data: [UnsafeCell<u32>; 3],
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Event {}

impl Event {
    fn post(&self, place: usize) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.data[place].with_mut(|value| unsafe { *value = 1 });
        self.posts.add(1);
    }

    fn wait_for(&self, posts: u64, patience: SpinPolicy) -> Result<(), Stop> {
        lockfree::eventcount::until(&self.posts, posts, patience, || Lookout(0))
    }

    fn value(&self, place: usize) -> u32 {
        // SAFETY: loom fails the model if another thread writes the cell at the same time.
        self.data[place].with(|value| unsafe { *value })
    }
}

fn model(body: impl Fn(Arc<Event>) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(move || body(Arc::new(Event::default())));
}

#[test]
fn a_waiter_sees_what_was_written_before_each_post() {
    for patience in [SLEEP_AT_ONCE, SPIN_AND_YIELD] {
        model(move |event| {
            let poster = {
                let event = Arc::clone(&event);
                thread::spawn(move || (0..2).for_each(|place| event.post(place)))
            };
            for place in 0..2 {
                assert_eq!(event.wait_for(place as u64 + 1, patience), Ok(()));
                assert_eq!(event.value(place), 1);
            }
            poster.join().unwrap();
            assert_eq!(event.posts.count(), 2);
        });
    }
}

#[test]
fn a_waiter_for_the_posts_of_two_images_is_woken_by_the_last() {
    model(|event| {
        let posters = [0, 1].map(|place| {
            let event = Arc::clone(&event);
            thread::spawn(move || event.post(place))
        });
        assert_eq!(event.wait_for(2, SLEEP_AT_ONCE), Ok(()));
        assert_eq!(event.value(0) + event.value(1), 2);
        for poster in posters {
            poster.join().unwrap();
        }
    });
}

#[test]
fn a_waiter_leaves_when_the_job_ends_and_loses_no_post() {
    model(|event| {
        let poster = {
            let event = Arc::clone(&event);
            thread::spawn(move || {
                event.post(0);
                primitives::raise_alarm(ENDED);
            })
        };
        let end = event.wait_for(2, SLEEP_AT_ONCE);
        assert_eq!(end, Err(Stop::Ended));
        poster.join().unwrap();
        assert_eq!(event.posts.count(), 1);
    });
}
