//! The same seed gives the same run, and a failing schedule fails again.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use coarray::prelude::*;
use coarray_runtime::{Exploration, Scheduler, Strategy};

/// Three images, with points of all kinds.
fn program() -> usize {
    let count = Coarray::new(Comutex::new(0));
    let event = Coarray::new(Coevent::new());
    let mut place = Coarray::new(0);
    let place = place.open();
    let right = (this_image() + 1) % num_images();
    place.at(right).put(this_image());
    event.at(right).post();
    event.wait();
    count
        .at(0)
        .lock()
        .update(|count| *count += place.here().get());
    sync_all();
    count.at(0).lock().get()
}

#[test]
fn the_same_seed_gives_the_same_history() {
    let explore = Explore::new(3);
    let explorer = Explorer::new(&explore, &program);
    for strategy in [Strategy::Pct(3), Strategy::Random, Strategy::RoundRobin] {
        let run = || {
            let exploration = Exploration {
                strategy,
                seed: 5,
                steps: 60,
                delays_puts: true,
                every_access: true,
            };
            let outcome = explorer.run(Scheduler::new(3, &exploration));
            (outcome.history.hash(), outcome.plan)
        };
        let (first, plan) = run();
        assert!((0..100).all(|_| run() == (first, plan.clone())));
        let replayed = explorer.run(Scheduler::replay(&plan, true));
        assert_eq!((replayed.history.hash(), replayed.plan), (first, plan));
    }
}

/// What is said of a failing exploration.
fn report(explore: impl FnOnce()) -> String {
    let payload = panic::catch_unwind(AssertUnwindSafe(explore)).unwrap_err();
    payload.downcast_ref::<String>().unwrap().clone()
}

/// Fails if image 1 comes first.
fn race_to_the_counter() {
    let order = Coarray::new(Coatomic::new(0));
    let mine = order.at(0).fetch_add(1);
    assert_eq!(mine, this_image(), "in this order");
}

#[test]
fn a_failing_schedule_fails_each_time() {
    let explore = Explore::new(2);
    let told = report(|| explore.clone().run(race_to_the_counter));
    let schedule = told.split("COARRAY_SCHEDULE=\"").nth(1).unwrap();
    let plan: SchedulePlan = schedule.split('"').next().unwrap().parse().unwrap();
    for _ in 0..100 {
        let explorer = Explorer::new(&explore, &race_to_the_counter);
        let again = explorer.replay(&plan).unwrap();
        assert!(again.starts_with("this schedule fails:"), "{again}");
        assert!(again.contains("in this order"), "{again}");
    }
}

#[test]
fn a_program_that_does_something_else_each_time_is_told_so() {
    let runs = AtomicUsize::new(0);
    let told = report(|| {
        Explore::new(2).run(|| {
            // Every third run has one lock less.
            let run = runs.fetch_add(1, Ordering::Relaxed) / 2;
            let lock = Coarray::new(Comutex::new(0));
            for _ in 0..run % 3 {
                drop(lock.at(0).lock());
            }
            assert!(run < 7, "enough");
        });
    });
    assert!(
        told.contains("but cannot be repeated: the second time image"),
        "{told}"
    );
    assert!(told.contains("where the first time image"), "{told}");
}

#[test]
fn all_failures_of_a_schedule_are_found_whatever_they_are() {
    let told = report(|| Explore::new(2).run(|| assert!(this_image() == 0)));
    assert!(
        told.starts_with("schedule 1 of 100 fails, with 2 images, 0 switches"),
        "{told}"
    );
    assert!(
        told.contains("again: COARRAY_SCHEDULE=\"2i\" cargo test"),
        "{told}"
    );
    let told = report(|| Explore::new(2).run(|| error_stop(3)));
    assert!(told.contains("error_stop"), "{told}");
    let races = || {
        let mut x = Coarray::new(0);
        x.open().at(0).put(this_image());
    };
    let told = report(|| Explore::new(2).run(races));
    assert!(told.contains("race on the value of image 0"), "{told}");
    Explore::new(2).racy_too().run(races);
}
