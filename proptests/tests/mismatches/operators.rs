//! Functions that join values and panic, or that call collective operations themselves.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::collectives::{Algorithm, Collective, Kind};
use coarray::failure::Failure;
use coarray::prelude::*;

use crate::{Images, divisions, report, watched};

const LENGTHS: [usize; 3] = [1, 100, 70_000];

/// Joins values that are all one by `algorithm`; to image 1 if only one image gets the result.
fn join(
    kind: Kind,
    algorithm: Algorithm,
    length: usize,
    join: impl Fn(u64, u64) -> u64,
) -> Vec<u64> {
    let mut values = vec![1u64; length];
    let how = Collective::new().algorithm(algorithm);
    match kind {
        Kind::Reduce => how.co_reduce(&mut values, join),
        _ => how.co_reduce_to(&mut values, 1, join),
    }
    values
}

/// Every reduction: of a kind, by an algorithm, of so many elements.
fn reductions() -> impl Iterator<Item = (Kind, Algorithm, usize)> {
    [Kind::Reduce, Kind::ReduceTo].into_iter().flat_map(|kind| {
        let all = kind.algorithms().iter();
        all.flat_map(move |&algorithm| LENGTHS.map(|length| (kind, algorithm, length)))
    })
}

#[test]
fn a_function_that_panics_on_one_image_ends_the_job_with_its_message() {
    for (kind, algorithm, length) in reductions() {
        for images in [2, 3, 5].into_iter().flat_map(divisions) {
            let mut panics = 0;
            for odd in 0..images.count {
                let case =
                    format!("{kind:?} by {algorithm} of {length}, image {odd} of {images:?}");
                let outcome = watched(images, &case, || {
                    join(kind, algorithm, length, |a, b| {
                        assert_ne!(this_image(), odd, "the moon is missing");
                        a + b
                    });
                });
                // Not every image joins values.
                let Err(failure) = outcome else { continue };
                panics += 1;
                let text = failure.to_string();
                let start = format!("coarray: image {odd} panicked at ");
                assert!(text.starts_with(&start), "{case}: {text}");
                assert!(
                    text.contains("tests/mismatches/operators.rs:"),
                    "{case}: {text}"
                );
                assert!(text.contains("the moon is missing"), "{case}: {text}");
            }
            assert!(panics > 0, "{kind:?} by {algorithm}");
        }
    }
}

#[test]
fn a_function_that_panics_late_ends_the_job_with_its_message() {
    for (kind, algorithm, length) in reductions() {
        let case = format!("{kind:?} by {algorithm} of {length}");
        let report = report(4, &case, || {
            // The elements differ, so that the last one is met on the way.
            let joined = Cell::new(0);
            join(kind, algorithm, length, |a, b| {
                joined.set(joined.get() + 1);
                assert!(joined.get() < length / 8, "the moon is missing");
                a + b
            });
        });
        assert!(report.contains("the moon is missing"), "{case}: {report}");
    }
}

/// What may become of operations that a function or a panic, which was caught, has interrupted.
#[track_caller]
fn is_clear(case: &str, outcome: Result<(), Failure>) {
    if let Err(failure) = outcome {
        let text = failure.to_string();
        let in_progress = "a collective was called while another one was in progress";
        let entered = "images entered a barrier while a collective was in progress";
        let elsewhere = "are in different collective operations";
        let reasons = [in_progress, entered, elsewhere];
        assert!(
            reasons.iter().any(|reason| text.contains(reason)),
            "{case}: {text}"
        );
        // Two images differ, or one has done what it must not.
        let itself = |image| text.contains(&format!("image {image} and image {image} "));
        assert!(!(0..5).any(itself), "{case}: {text}");
    }
}

#[test]
fn after_a_panic_that_one_image_catches_sums_are_right_or_there_is_a_report() {
    for (kind, algorithm, length) in reductions() {
        for images in [2, 5].into_iter().flat_map(divisions) {
            let Images { count, .. } = images;
            for odd in [0, count / 2, count - 1] {
                let case =
                    format!("{kind:?} by {algorithm} of {length}, image {odd} of {images:?}");
                let outcome = watched(images, &case, || {
                    let attempt = || {
                        join(kind, algorithm, length, |a, b| {
                            assert_ne!(this_image(), odd, "the moon is missing");
                            a + b
                        })
                    };
                    let attempt = catch_unwind(AssertUnwindSafe(attempt));
                    for image in 0..3 {
                        let mut sums = [this_image(), 1];
                        co_sum(&mut sums);
                        assert_eq!(sums, [count * (count - 1) / 2, count], "wrong sums");
                        let mut number = this_image();
                        co_broadcast(&mut number, image % count);
                        assert_eq!(number, image % count, "wrong numbers");
                    }
                    drop(attempt);
                });
                is_clear(&case, outcome);
            }
        }
    }
}

#[test]
fn after_a_panic_that_all_images_catch_sums_are_right_or_there_is_a_report() {
    for (kind, algorithm, length) in reductions() {
        for images in [2, 3, 5].into_iter().flat_map(divisions) {
            let case = format!("{kind:?} by {algorithm} of {length} on {images:?}");
            let outcome = watched(images, &case, || {
                let attempt = || {
                    join(kind, algorithm, length, |_, _| {
                        panic!("the moon is missing")
                    })
                };
                let attempt = catch_unwind(AssertUnwindSafe(attempt));
                let again = join(kind, algorithm, length, |a, b| a + b);
                if kind == Kind::Reduce || this_image() == 1 {
                    assert!(
                        again.iter().all(|&sum| sum == images.count as u64),
                        "wrong sums"
                    );
                }
                drop(attempt);
            });
            is_clear(&case, outcome);
        }
    }
}

#[test]
fn a_function_that_joins_with_the_help_of_other_images_is_told_that_it_cannot() {
    for (kind, algorithm, length) in reductions() {
        for nested in [Algorithm::Flat, Algorithm::Binomial] {
            for images in divisions(3) {
                let case = format!("{kind:?} by {algorithm} of {length}, {nested} in it");
                let report = report(images, &case, || {
                    join(kind, algorithm, length, |a, b| {
                        Collective::new()
                            .algorithm(nested)
                            .co_sum(&mut [0u64; 8000]);
                        a + b
                    });
                });
                let expected =
                    "a collective was called while another one was in progress (called at";
                assert!(report.contains(expected), "{case}: {report}");
                // Both places are the program's.
                let places = report.matches("tests/mismatches/operators.rs:").count();
                assert!(
                    places == 2 && report.matches(".rs:").count() == 2,
                    "{case}: {report}"
                );
            }
        }
    }
}

#[test]
fn values_of_no_type_are_never_joined_whatever_the_function_does_meanwhile() {
    for (kind, algorithm, length) in reductions() {
        for images in divisions(3) {
            let case = format!("{kind:?} by {algorithm} of {length}");
            // Images that meet half-way get what is right, or are told: that they do it while they join, that others do
            // not, or that they wait for these for ever.
            let outcome = watched(images, &case, || {
                let first = Cell::new(true);
                let sums = join(kind, algorithm, length, |a, b| {
                    if first.replace(false) {
                        sync_all();
                    }
                    assert!(a > 0 && b > 0 && a + b <= 3, "joined {a} and {b}");
                    a + b
                });
                if kind == Kind::Reduce || this_image() == 1 {
                    assert!(sums.iter().all(|&sum| sum == 3), "wrong sums");
                }
            });
            let is_deadlock = |failure: &Failure| failure.text.contains("deadlock");
            if !outcome.as_ref().is_err_and(is_deadlock) {
                is_clear(&case, outcome);
            }
        }
    }
}
