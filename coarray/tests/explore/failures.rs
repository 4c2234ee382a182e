//! Jobs that go on without images that fail.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use coarray::failure::{fail_image, failed_images};
use coarray::prelude::*;
use coarray::testing::Explore;

use crate::failure;

#[test]
fn a_panic_is_a_failure_of_the_schedule_also_if_the_job_keeps_going() {
    let program = || match this_image() {
        1 => fail_image(),
        2 => assert!(failed_images().is_empty(), "it is known"),
        _ => (),
    };
    let told = failure(|| Explore::new(3).keep_going(true).run(program));
    assert!(told.contains("image 2 panicked"), "{told}");
    assert!(told.contains("image 1: is known to have failed"), "{told}");
    // Nobody is left.
    let told = failure(|| Explore::new(2).keep_going(true).run(|| fail_image()));
    assert!(told.contains("called fail_image() at"), "{told}");
    let told = failure(|| Explore::new(2).run(|| fail_image()));
    assert!(told.contains("called fail_image() at"), "{told}");
}

#[test]
fn it_is_known_that_an_image_has_failed_when_its_thread_has_dropped_everything() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);

    struct Kept;

    impl Drop for Kept {
        fn drop(&mut self) {
            (0..1000).for_each(|_| thread::yield_now());
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }

    thread_local! {
        static KEPT: Kept = const { Kept };
    }
    let runs = AtomicUsize::new(0);
    Explore::new(3).keep_going(true).schedules(20).run(|| {
        if this_image() == 1 {
            runs.fetch_add(1, Ordering::Relaxed);
            KEPT.with(|_| fail_image());
        }
        while failed_images().is_empty() {}
        assert_eq!(
            DROPPED.load(Ordering::Relaxed),
            runs.load(Ordering::Relaxed)
        );
    });
}
