//! The programs of the chapter on schedules: what it shows of each exploration is what is said now.

use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::prelude::*;
use coarray::testing::Explore;
use coarray::{fence, image_fence};

const CHAPTER: &str = include_str!("../src/schedules.md");

/// What is said of an exploration that fails, which the chapter shows.
fn shown(explore: impl FnOnce()) {
    let outcome = catch_unwind(AssertUnwindSafe(explore));
    let payload = outcome.expect_err("no schedule has failed");
    let report = payload.downcast_ref::<String>().expect("a report");
    assert!(CHAPTER.contains(report), "not in the chapter:\n{report}");
}

// ANCHOR: send
/// Image 0 puts a number, and says by a flag that it is there.
fn send(fenced: bool) {
    let (mut number, mut is_there) = (Coarray::new(0), Coarray::new(false));
    let (number, is_there) = open((&mut number, &mut is_there));
    if this_image() == 0 {
        number.at(1).put(42);
        if fenced {
            fence(1);
        }
        is_there.at(1).put(true);
    } else {
        while !is_there.here().get() {}
        image_fence();
        assert_eq!(number.here().get(), 42);
    }
}
// ANCHOR_END: send

#[test]
fn a_flag_overtakes_the_number() {
    shown(|| {
        Explore::new(2)
            .schedules(200)
            .racy_too()
            .run(|| send(false))
    });
}

#[test]
fn after_a_fence_it_does_not() {
    Explore::new(2).schedules(200).run(|| send(true));
}

// ANCHOR: sleep
/// Image 1 sleeps until image 0 has done something.
fn wait_for_work() {
    let (done, sleeps) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(false)),
    );
    let wake = Coarray::new(Coevent::new());
    if this_image() == 0 {
        let has_to_wake = sleeps.at(1).load();
        done.at(1).store(7);
        if has_to_wake {
            wake.at(1).post();
        }
    } else if done.load() == 0 {
        sleeps.store(true);
        wake.wait();
    }
}
// ANCHOR_END: sleep

#[test]
fn a_wake_up_is_lost() {
    shown(|| Explore::new(2).run(wait_for_work));
}

// ANCHOR: total
fn total() -> f64 {
    let total = Coarray::new(Comutex::new(0.0));
    let mine = [1.0, 1e16, -1e16][this_image()];
    total.at(0).lock().update(|total| *total += mine);
    sync_all();
    total.at(0).lock().get()
}
// ANCHOR_END: total

#[test]
fn a_total_depends_on_who_comes_first() {
    shown(|| Explore::new(3).same_result().run(total));
}
