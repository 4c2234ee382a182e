//! Lending memory to others, in every interleaving and every order in which memory may show writes: nobody reads when the lender has
//! withdrawn the loan.
//!
//! loom runs the very source of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod lending;
}

use std::sync::Arc;

use lockfree::lending::Lending;
use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::thread;

/// The barrier that announces the loan.
const NUMBER: u64 = 7;

/// The lender is image 0.
const LENDER: usize = 0;

struct Job {
    lending: Vec<Lending>,
    /// What the lender lends. loom fails the model if an image reads while the lender writes.
    value: UnsafeCell<u64>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time, and one of them writes.
unsafe impl Sync for Job {}

/// Reads the value if the loan stands.
fn read(job: &Job, me: usize) -> Option<u64> {
    let (own, lender) = (&job.lending[me], &job.lending[LENDER]);
    let seen = own.begin(lender, LENDER, NUMBER).then(|| {
        // SAFETY: loom checks the access.
        job.value.with(|value| unsafe { *value })
    });
    own.end();
    seen
}

/// Lends the value to `readers` images, withdraws it, and writes.
fn lend(readers: usize) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let job = Arc::new(Job {
            lending: (0..=readers).map(|_| Lending::default()).collect(),
            value: UnsafeCell::new(1),
        });
        let readers = (1..=readers).map(|me| {
            let job = Arc::clone(&job);
            thread::spawn(move || read(&job, me))
        });
        let readers: Vec<_> = readers.collect();
        job.lending[LENDER].withdraw(NUMBER);
        for me in 1..=readers.len() {
            while job.lending[me].is_reading(LENDER) {
                thread::yield_now();
            }
        }
        // SAFETY: loom checks the access.
        job.value.with_mut(|value| unsafe { *value = 2 });
        for reader in readers {
            let seen = reader.join().unwrap();
            assert!(seen.is_none_or(|seen| seen == 1), "{seen:?}");
        }
    });
}

#[test]
fn a_reader_has_finished_or_does_not_begin() {
    lend(1);
}

#[test]
fn so_have_two_readers() {
    lend(2);
}

/// A loan stands although the lender has withdrawn another one before.
#[test]
fn a_later_loan_stands() {
    loom::model(|| {
        let job = [Lending::default(), Lending::default()];
        job[LENDER].withdraw(NUMBER);
        assert!(!job[1].begin(&job[LENDER], LENDER, NUMBER));
        job[1].end();
        assert!(job[1].begin(&job[LENDER], LENDER, NUMBER + 2));
        job[1].end();
        assert!(!job[1].is_reading(LENDER));
    });
}
