//! What becomes of those who use locks wrongly.

use std::time::Duration;

use coarray::locks::LockError;
use coarray::prelude::*;

use crate::{failures, run};
use coarray_proptests::panic_of;

#[test]
fn locking_twice_is_an_error_that_names_both_places() {
    run(2, || {
        let x = Coarray::new(Comutex::new(5u32));
        let other = 1 - this_image();
        let first = line!() + 1;
        let guard = x.at(other).lock();
        let created = first - 3;
        let message = panic_of(|| x.at(other).lock());
        assert!(
            message.contains(&format!("mistakes.rs:{first}:")),
            "{message}"
        );
        assert!(
            message.contains(&format!("mistakes.rs:{created}:")),
            "{message}"
        );
        assert!(message.contains(&format!("on image {other}")), "{message}");
        for error in [
            x.at(other).try_lock().unwrap_err(),
            x.at(other).lock_timeout(Duration::MAX).unwrap_err(),
        ] {
            let LockError::AlreadyHeld { since } = error else {
                panic!("{error}");
            };
            assert_eq!(since.line(), first);
        }
        drop(guard);
        assert_eq!(x.at(other).lock().get(), 5);
    });
}

#[test]
fn a_comutex_in_no_coarray_cannot_be_locked() {
    run(1, || {
        let message = panic_of(|| Comutex::new(1u8).lock().get());
        assert!(message.contains("in no coarray"), "{message}");
    });
}

#[test]
fn two_images_that_wait_for_each_other_are_reported_with_both_places() {
    let failed = failures(2, || {
        let x = Coarray::new(Comutex::new(0u8));
        let _mine = x.at(this_image()).lock();
        sync_all();
        let _other = x.at(1 - this_image()).lock();
    });
    for failure in failed {
        let report = failure.to_string();
        for image in 0..2 {
            let line = format!("image {image} waits in lock at ");
            assert!(report.contains(&line), "{report}");
            let place = format!("on image {image}, waiting for image {image}");
            assert!(report.contains(&place), "{report}");
        }
        assert!(report.contains("the cycle: image "), "{report}");
    }
}

#[test]
fn an_image_that_ends_with_a_lock_is_reported_when_others_wait_for_it() {
    let failed = failures(3, || {
        let x = Coarray::new(Comutex::new(0u8));
        if this_image() == 1 {
            std::mem::forget(x.at(2).lock());
        }
        sync_all();
        if this_image() == 0 {
            x.at(2).lock().put(1);
        }
    });
    for failure in failed {
        let report = failure.to_string();
        assert!(
            report.contains("image 0 waits in lock at") && report.contains("waiting for image 1"),
            "{report}"
        );
        assert!(
            report.contains("image 1 has come to the end of the program"),
            "{report}"
        );
    }
}

#[test]
fn waiting_with_a_time_limit_is_no_deadlock() {
    run(2, || {
        let x = Coarray::new(Comutex::new(0u8));
        let guard = (this_image() == 0).then(|| x.at(1).lock());
        sync_all();
        if this_image() == 1 {
            // Long enough for image 0 to look for a deadlock, in which only it has no end.
            let error = x.lock_timeout(Duration::from_millis(300)).unwrap_err();
            assert_eq!(error, LockError::TimedOut);
        }
        sync_all();
        drop(guard);
        x.at(1).lock().put(1);
    });
}

#[test]
fn a_leaked_guard_leaves_its_own_comutex_locked_only() {
    run(2, || {
        for round in 0..3 {
            // The memory of the round before, where a lock was left locked, is used again.
            let x = Coarray::<[Comutex<u64>; 3]>::from_fn(|_| Comutex::new(round));
            if this_image() == 0 {
                std::mem::forget(x.at(1)[2].lock());
            }
            sync_all();
            assert_eq!(x.at(1)[0].lock().get(), round);
            match x.at(1)[2].try_lock().unwrap_err() {
                LockError::Busy { holder } => assert_eq!((holder, this_image()), (0, 1)),
                error => {
                    assert!(matches!(error, LockError::AlreadyHeld { .. }) && this_image() == 0)
                }
            }
            sync_all();
        }
    });
}

#[test]
fn a_leaked_guard_and_those_that_left_its_queue_spoil_no_later_mutex_at_its_place() {
    run(4, || {
        let address = |mutex: &Comutex<u64>| std::ptr::from_ref(mutex).addr();
        let (mut spoiled, mut reused) = (Vec::new(), 0);
        for round in 0..5 {
            let first = Coarray::new(Comutex::new(0_u64));
            spoiled.push(address(&first));
            if this_image() == 1 {
                std::mem::forget(first.at(0).lock());
            }
            sync_all();
            if this_image() != 1 {
                let left = first.at(0).lock_timeout(Duration::from_micros(50 * round));
                assert_eq!(left.unwrap_err(), LockError::TimedOut);
            }
            sync_all();
            drop(first);
            // The memory is free when all images have come to the next creation.
            let _between = Coarray::new(Comutex::new(0_u64));
            let second = Coarray::new(Comutex::new(0_u64));
            reused += usize::from(spoiled.contains(&address(&second)));
            for _ in 0..50 {
                second.at(0).lock().update(|count| *count += 1);
                let timed = second.at(0).lock_timeout(Duration::from_secs(100));
                timed.unwrap().update(|count| *count += 1);
            }
            sync_all();
            assert_eq!(second.at(0).lock().get(), 100 * num_images() as u64);
        }
        assert!(reused > 0);
    });
}
