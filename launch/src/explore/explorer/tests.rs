//! What is repeated, where images switch, and what is found.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::explore::Explore;
use coarray::atomics::AsyncCoatomicPlace;
use coarray::events::PutNotifyAsync;
use coarray::failure::{fail_image, failed_images, try_sync_all};
use coarray::prelude::*;

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
    let options = Options::new(3);
    let explorer = Explorer::new(&options, &program);
    for strategy in [Strategy::Pct(3), Strategy::Random, Strategy::RoundRobin] {
        let run = || {
            let exploration = Exploration {
                strategy,
                seed: 5,
                steps: 60,
                chances: 60,
                delays_puts: true,
            };
            let outcome = explorer.run(Scheduler::new(3, &exploration, &Accesses::All));
            (outcome.history.hash(), outcome.plan)
        };
        let (first, plan) = run();
        assert!((0..100).all(|_| run() == (first, plan.clone())));
        // It says all by itself.
        let replayed = explorer.run_plan(&plan);
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
fn images_switch_at_lines_that_race_and_at_no_others() {
    const OTHERS: u64 = 20;
    let program = || {
        let mut places = Coarray::new([0; 2]);
        let places = places.open();
        let mine = &places.at(this_image())[1];
        for _ in 0..OTHERS / 2 {
            mine.put(mine.get() + 1);
        }
        let shared = &places.at(0)[0];
        shared.put(shared.get() + 1);
    };
    let options = Options {
        racy_too: true,
        ..Options::new(2)
    };
    let mut explorer = Explorer::new(&options, &program);
    let first = explorer.run_plan(&explorer.plain());
    assert_eq!(first.raced.len(), 2, "{:?}", first.raced);
    explorer.accesses.add(first.raced);
    let second = explorer.run_plan(&explorer.plain());
    assert_eq!(second.chances - first.chances, 2 * 2);
    explorer.accesses = Accesses::All;
    let third = explorer.run_plan(&explorer.plain());
    assert_eq!(third.chances - first.chances, 2 * (2 + OTHERS));
    assert_eq!(third.steps, first.steps);
}

#[test]
fn a_failing_schedule_fails_each_time() {
    let told = report(|| Explore::new(2).run(race_to_the_counter));
    let schedule = told.split("COARRAY_SCHEDULE=\"").nth(1).unwrap();
    let plan: SchedulePlan = schedule.split('"').next().unwrap().parse().unwrap();
    for _ in 0..100 {
        let options = Options::new(2);
        let explorer = Explorer::new(&options, &race_to_the_counter);
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

/// Image 1 fails; before that all kinds of operations are in flight.
fn program_whose_image_fails() -> (Vec<usize>, bool) {
    let (count, came) = (Coarray::new(Coatomic::new(0)), Coarray::new(Coevent::new()));
    let mut place = Coarray::new(0);
    let place = place.open();
    let right = (this_image() + 1) % num_images();
    drop(place.at(right).put_notify_async(7, came.at(right)));
    count.at(right).add_async(1);
    let former = count.at(0).fetch_add_async(1);
    let seen = failed_images();
    if this_image() == 1 {
        fail_image();
    }
    drop(former);
    let is_well = try_sync_all().is_ok();
    (seen, is_well)
}

#[test]
fn what_is_in_flight_and_what_is_known_of_failed_images_is_repeated() {
    let options = Options {
        keeps_going: true,
        racy_too: true,
        ..Options::new(3)
    };
    let explorer = Explorer::new(&options, &program_whose_image_fails);
    let mut several = HashSet::new();
    for seed in 0..40 {
        let strategy = match seed % 2 {
            0 => Strategy::Pct(3),
            _ => WALK,
        };
        let run = || {
            let exploration = Exploration {
                strategy,
                seed,
                steps: 60,
                chances: 60,
                delays_puts: true,
            };
            let outcome = explorer.run(Scheduler::new(3, &exploration, &Accesses::All));
            (outcome.history.hash(), outcome.plan, outcome.result)
        };
        let first = run();
        assert!(
            first.2.as_ref().is_ok_and(|all| all.len() == 2),
            "{:?}",
            first.2
        );
        assert!((0..10).all(|_| run() == first), "{}", first.1);
        let again = explorer.run_plan(&first.1);
        assert_eq!((again.history.hash(), again.plan, again.result), first);
        several.insert(first.2.unwrap()[0].0.clone());
    }
    assert_eq!(several.len(), 2, "known, or not: {several:?}");
}
