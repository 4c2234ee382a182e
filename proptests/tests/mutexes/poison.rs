//! What becomes of a comutex when an image panics while it holds it, or fails.

use std::num::NonZeroU32;
use std::time::Duration;

use coarray::Launch;
use coarray::failure::ImageFailed;
use coarray::locks::LockError;
use coarray::prelude::*;

use crate::{failures, run};
use coarray_proptests::panic_of;

#[test]
fn a_panic_poisons_and_keeps_the_last_value() {
    run(3, || {
        let x = Coarray::new(Comutex::new([NonZeroU32::MIN; 40]));
        let place = x.at(2);
        let two = [NonZeroU32::new(2).unwrap(); 40];
        if this_image() == 1 {
            let message = panic_of(|| {
                let mut guard = place.lock();
                guard.put(two);
                guard.update(|value| {
                    value[0] = NonZeroU32::MAX;
                    panic!("half-way")
                })
            });
            assert_eq!(message, "half-way");
        }
        sync_all();
        assert!(place.is_poisoned() && !x.at(1).is_poisoned());
        assert_eq!(place.try_lock().unwrap_err(), LockError::Poisoned { by: 1 });
        let waited = place.lock_timeout(Duration::MAX);
        assert_eq!(waited.unwrap_err(), LockError::Poisoned { by: 1 });
        sync_all();
        if this_image() == 0 {
            place.clear_poison();
        }
        sync_all();
        assert!(!place.is_poisoned());
        assert_eq!(place.lock().get(), two);
    });
}

#[test]
fn locking_a_poisoned_comutex_ends_the_job_and_says_what_to_do() {
    let failed = failures(2, || {
        let x = Coarray::new(Comutex::new(1u64));
        if this_image() == 1 {
            panic_of(|| {
                let _guard = x.at(0).lock();
                panic!("half-way")
            });
        }
        sync_all();
        if this_image() == 0 {
            x.at(0).lock().put(3);
        }
        sync_all();
    });
    for failure in failed {
        let report = failure.to_string();
        for part in [
            "image 0 cannot lock the mutex in the coarray of ",
            "poison.rs:",
            "image 1 failed or panicked",
            "clear_poison",
        ] {
            assert!(report.contains(part), "{report}");
        }
    }
}

#[test]
fn a_guard_taken_and_dropped_while_unwinding_does_not_poison() {
    run(1, || {
        struct AtTheEnd<'a>(&'a Coref<Comutex<u32>>);
        impl Drop for AtTheEnd<'_> {
            fn drop(&mut self) {
                self.0.lock().update(|count| *count += 1);
            }
        }
        let x = Coarray::new(Comutex::new(1));
        panic_of(|| {
            let _end = AtTheEnd(x.at(0));
            panic!("on the way")
        });
        assert_eq!(x.at(0).lock().get(), 2);
    });
}

#[test]
fn a_comutex_shows_its_holder_and_a_guard_the_value() {
    run(1, || {
        let x = Coarray::new(Comutex::new(7));
        assert_eq!(
            format!("{:?}", *x),
            "Comutex { holder: None, poisoner: None, .. }"
        );
        let guard = x.at(0).lock();
        assert_eq!(
            format!("{:?}", *x),
            "Comutex { holder: Some(0), poisoner: None, .. }"
        );
        assert_eq!(format!("{guard:?}"), "ComutexGuard(7)");
    });
}

#[test]
fn a_comutex_is_lost_with_its_image() {
    let outcome = Launch::new(3).keep_going(true).run(|| {
        let x = Coarray::new(Comutex::new(5u64));
        if this_image() == 1 {
            coarray::failure::fail_image();
        }
        while coarray::failure::failed_images().is_empty() {
            std::thread::yield_now();
        }
        let lost = LockError::ImageFailed(ImageFailed::new(vec![1]));
        assert_eq!(x.at(1).try_lock().unwrap_err(), lost);
        let waited = x.at(1).lock_timeout(Duration::MAX);
        assert_eq!(waited.unwrap_err(), lost);
        assert_eq!(x.at(2).lock().get(), 5);
        if this_image() == 2 {
            drop(x.at(1).lock());
        }
    });
    let text = outcome.unwrap_err().to_string();
    assert!(
        text.starts_with("coarray: image 2 cannot lock the mutex in the coarray of Comutex<u64>")
            && text.contains("image 1 has failed, and the lock with it"),
        "{text}"
    );
}
