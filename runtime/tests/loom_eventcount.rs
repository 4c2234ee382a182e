//! An eventcount that two images await, each for a count of its own, in every interleaving: no wake-up is lost,
//! however the count is advanced.
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
use lookout::{Lookout, Stop, failed};
use loom::cell::UnsafeCell;
use loom::thread;

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

#[derive(Default)]
struct Shared {
    eventcount: Eventcount,
    /// The data that are written before each step of the eventcount, by plain stores.
    data: [UnsafeCell<u64>; 2],
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Shared {}

impl Shared {
    fn write(&self, step: usize) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.data[step].with_mut(|value| unsafe { *value = 1 });
    }

    fn wait_for(&self, target: u64, stops: u32) -> Result<(), Stop> {
        lockfree::eventcount::until(&self.eventcount, target, SLEEP_AT_ONCE, || Lookout(stops))
    }

    /// Waits for the first step, or for both, and checks that their data are visible.
    fn wait_and_read(&self, target: u64) {
        assert_eq!(self.wait_for(target, 0), Ok(()));
        for cell in &self.data[..target as usize] {
            // SAFETY: loom fails the model if another thread writes the cell at the same time.
            assert_eq!(cell.with(|value| unsafe { *value }), 1);
        }
    }
}

/// Two images wait, one for the first step and one for the second; a third image takes both by `raise`.
fn two_waiters(raise: fn(&Eventcount, u64)) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(move || {
        let shared = Arc::new(Shared::default());
        let waiters = [1, 2].map(|target| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.wait_and_read(target))
        });
        for step in 0..2 {
            shared.write(step);
            raise(&shared.eventcount, step as u64 + 1);
        }
        for waiter in waiters {
            waiter.join().unwrap();
        }
        assert_eq!(shared.eventcount.count(), 2);
    });
}

#[test]
fn two_images_wait_for_different_counts_of_one_writer() {
    two_waiters(Eventcount::advance_to);
}

#[test]
fn two_images_wait_for_different_sums() {
    two_waiters(|eventcount, _| eventcount.add(1));
}

#[test]
fn two_images_wait_for_what_two_others_add() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 10_000;
    builder.check(|| {
        let shared = Arc::new(Shared::default());
        let waiter = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.wait_for(1, 0))
        };
        let adders = [(), ()].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.eventcount.add(1))
        });
        assert_eq!(shared.wait_for(2, 0), Ok(()));
        assert_eq!(waiter.join().unwrap(), Ok(()));
        for adder in adders {
            adder.join().unwrap();
        }
    });
}

/// A waiter that gives up leaves its bit set, and clears no other waiter's bit.
#[test]
fn a_waiter_that_gives_up_does_not_keep_another_asleep() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(|| {
        let shared = Arc::new(Shared::default());
        let fickle = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.wait_for(5, failed(7)))
        };
        let raiser = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.eventcount.advance_to(1);
                primitives::raise_alarm(failed(7));
            })
        };
        assert_eq!(shared.wait_for(1, 0), Ok(()));
        assert_eq!(fickle.join().unwrap(), Err(Stop::Failed));
        raiser.join().unwrap();
    });
}
