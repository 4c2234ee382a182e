//! Mistakes that only some schedules show.

use std::panic::{self, AssertUnwindSafe};

use coarray::prelude::*;
use coarray::testing::Explore;

/// What is said when an exploration fails.
fn failure(explore: impl FnOnce()) -> String {
    let outcome = panic::catch_unwind(AssertUnwindSafe(explore));
    let payload = outcome.expect_err("no schedule has failed");
    payload.downcast_ref::<String>().expect("a report").clone()
}

/// How many deviations the schedule of a report has.
fn deviations(report: &str) -> usize {
    let schedule = report.split("COARRAY_SCHEDULE=\"").nth(1).unwrap();
    schedule.split('"').next().unwrap().split(' ').count() - 1
}

#[test]
fn a_lost_update_is_found() {
    let report = failure(|| {
        Explore::new(2).schedules(100).run(|| {
            let sum = Coarray::new(Coatomic::new(0));
            let before = sum.at(0).load();
            sum.at(0).store(before + 1);
            sync_all();
            assert!(this_image() > 0 || sum.load() == 2, "an update is lost");
        });
    });
    println!("{report}");
    assert!(report.contains("an update is lost"), "{report}");
    assert!(report.contains("switch"), "{report}");
    assert!(deviations(&report) <= 2, "{report}");
}

#[test]
fn a_flag_without_a_fence_is_found() {
    let report = failure(|| {
        Explore::new(2).schedules(200).racy_too().run(|| {
            let mut data = Coarray::new([0, 0]);
            let data = data.open();
            if this_image() == 0 {
                data.at(1)[0].put(42);
                data.at(1)[1].put(1);
            } else {
                while data.here()[1].get() == 0 {}
                coarray::image_fence();
                assert_eq!(data.here()[0].get(), 42);
            }
        });
    });
    println!("{report}");
    assert!(report.contains("1 late put"), "{report}");
}

#[test]
fn a_deadlock_of_two_locks_is_found() {
    let report = failure(|| {
        Explore::new(2).schedules(100).run(|| {
            let locks = Coarray::new([Comutex::new(0), Comutex::new(0)]);
            let (first, second) = match this_image() {
                0 => (0, 1),
                _ => (1, 0),
            };
            let locks = locks.at(0);
            let _one = locks[first].lock();
            let _other = locks[second].lock();
        });
    });
    println!("{report}");
    assert!(report.contains("deadlock"), "{report}");
    assert!(deviations(&report) <= 2, "{report}");
}

#[test]
fn images_that_poll_what_nobody_writes_are_named() {
    let report = failure(|| {
        Explore::new(3).schedules(100).racy_too().run(|| {
            let mut flag = Coarray::new(0);
            let flag = flag.open();
            if this_image() != 1 {
                while flag.here().get() == 0 {}
            }
        });
    });
    println!("{report}");
    assert!(
        report.contains("nobody will ever write what images 0 and 2 poll at"),
        "{report}"
    );
    assert_eq!(deviations(&report), 0, "{report}");
}

#[test]
fn a_sum_by_order_of_arrival_is_found() {
    let report = failure(|| {
        Explore::new(3).schedules(100).same_result().run(|| {
            let sum = Coarray::new(Comutex::new(0.0));
            let mine = [1.0, -1e16, 1e16][this_image()];
            sum.at(0).lock().update(|sum| *sum += mine);
            sync_all();
            let total = sum.at(0).lock().get();
            total
        });
    });
    println!("{report}");
    assert!(report.contains("the results differ"), "{report}");
}
