//! Posts as cofutures: waited for together with whatever else is on its way, and awaited.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use coarray::Launch;
use coarray::asynchronous::{Cofuture, CofutureSet, co_sum_async};
use coarray::failure::fail_image;
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix, panic_of};
use proptest::prelude::*;

const SHORT: Duration = Duration::from_millis(2);

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future as executors do: parks the thread until the waker is called.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}

/// What has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    Post(usize),
    Sum(usize),
    Value(usize),
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn posts_sums_and_values_come_once_each_in_any_order(
        setting in Setting::anywhere(),
        seed: u64,
        turns in 1u64..8,
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let events = Coarray::<[Coevent; 3]>::from_fn(|_| Coevent::new());
            let mut values = Coarray::new(7 * me);
            let values = values.open();
            for turn in 0..turns {
                let random = mix(seed ^ me as u64, turn);
                let next = (me + 1) % images;
                let mut set = CofutureSet::new();
                let mut expected = Vec::new();
                for event in 0..3 {
                    set.push(events[event].wait_for_async(2).map(move |()| Came::Post(event)));
                    expected.push(Came::Post(event));
                }
                set.push(co_sum_async(1).map(Came::Sum));
                set.push(values.at(next).get_async().map(Came::Value));
                expected.extend([Came::Sum(images), Came::Value(7 * next)]);
                for post in 0..6 {
                    events.at(next)[(post + random as usize) % 3].post();
                    if mix(random, post as u64).is_multiple_of(20) {
                        thread::sleep(SHORT);
                    }
                }
                let mut came = Vec::new();
                while !set.is_empty() {
                    let some = match random % 4 {
                        0 => set.wait_some(),
                        1 => set.wait_some_timeout(Duration::MAX),
                        2 => Vec::from_iter(set.wait_any_timeout(Duration::MAX)),
                        _ => Vec::from_iter(set.wait_any()),
                    };
                    assert!(!some.is_empty());
                    came.extend(some.into_iter().map(|(_, came)| came));
                }
                came.sort_unstable();
                expected.sort_unstable();
                assert_eq!(came, expected);
                assert_eq!(set.wait_any(), None);
                sync_all();
            }
            assert!(events.iter().all(|event| event.query() == 0));
        });
    }

    #[test]
    fn tasks_await_posts(setting in Setting::anywhere(), turns in 1usize..20) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let events = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
            block_on(async {
                for turn in 0..turns {
                    if turn % 8 == me % 8 {
                        thread::sleep(SHORT);
                    }
                    events.at((me + 1) % images)[turn % 2].post();
                    events[turn % 2].wait_async().await;
                    assert_eq!(co_sum_async(1).await, images);
                }
            });
            assert_eq!(events[0].query() + events[1].query(), 0);
        });
    }

    #[test]
    fn a_set_gives_up_in_time_and_takes_nothing(setting in Setting::anywhere(), limit in 0u64..20) {
        setting.run(|| {
            let limit = Duration::from_millis(limit);
            let events = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
            let mut set: CofutureSet<()> = events.iter().map(|event| event.wait_async()).collect();
            let start = Instant::now();
            assert_eq!(set.wait_any_timeout(limit), None);
            assert!(start.elapsed() >= limit && set.wait_some_timeout(limit).is_empty());
            assert_eq!(set.len(), 2);
            sync_all();
            events.at((this_image() + 1) % num_images())[1].post();
            assert_eq!(set.wait_some_timeout(Duration::MAX), [(1, ())]);
            assert_eq!(set.wait_any_timeout(limit), None);
        });
    }
}

#[test]
fn of_two_cofutures_for_one_event_each_takes_a_post_and_a_dropped_one_takes_none() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let event = Coarray::new(Coevent::new());
            let next = event.at((this_image() + 1) % num_images());
            let (one, other) = (event.wait_async(), event.wait_async());
            drop(event.wait_async());
            std::mem::forget(event.wait_async());
            (0..3).for_each(|_| next.post());
            one.wait();
            assert!(CofutureSet::from([other]).wait_any().is_some());
            let last = event.wait_async();
            last.wait();
            assert_eq!(event.query(), 0);
            sync_all();
            // Both are ready while one post is there, and one of them has it.
            let both = [event.wait_async(), event.wait_async()];
            next.post();
            sync_all();
            assert!(both.iter().all(Cofuture::is_ready));
            let mut both = CofutureSet::from(both);
            assert_eq!(both.wait_some(), [(0, ())]);
            assert_eq!(both.wait_any_timeout(Duration::ZERO), None);
        });
    }
}

#[test]
fn a_failed_image_is_an_error_or_the_end() {
    let outcome = Launch::new(3).keep_going(true).run(|| {
        let event = Coarray::new(Coevent::new());
        sync_all();
        if this_image() == 2 {
            thread::sleep(SHORT);
            fail_image();
        }
        let awaited = block_on(event.wait_async().or_failed());
        let in_set = CofutureSet::from([
            event.wait_async().or_failed(),
            event.wait_async().or_failed(),
        ]);
        let failed = in_set.wait_all();
        event.post();
        event.wait_async().wait();
        (awaited.unwrap_err().images, failed.len())
    });
    assert_eq!(outcome.unwrap(), [(vec![2], 2), (vec![2], 2)]);
    let outcome = Launch::new(2).keep_going(true).run(|| {
        let event = Coarray::new(Coevent::new());
        if this_image() == 1 {
            fail_image();
        }
        CofutureSet::from([event.wait_async(), event.wait_async()]).wait_any();
    });
    let report = outcome.unwrap_err().to_string();
    assert!(
        report.contains("a wait for an event at proptests/tests/events/sets.rs:"),
        "{report}"
    );
}

#[test]
fn cofutures_are_for_events_of_the_own_image() {
    coarray::run(2, || {
        let event = Coarray::new(Coevent::new());
        let there = event.at(1 - this_image()).as_local().unwrap();
        let text = panic_of(|| drop(there.wait_async()));
        assert!(
            text.contains("and only that image can wait for it"),
            "{text}"
        );
    });
}
