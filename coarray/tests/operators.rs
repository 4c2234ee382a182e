//! Misbehaved functions that combine values: they panic, call collectives, or differ between images.

use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::Launch;
use coarray::asynchronous::{co_reduce_async, co_sum_async};
use coarray::collectives::{Algorithm, Collective, Kind, try_co_sum};
use coarray::failure::{Failure, ImageFailed};
use coarray::prelude::*;

const KINDS: [Kind; 4] = [
    Kind::Reduce,
    Kind::ReduceTo,
    Kind::ReduceScatter,
    Kind::Scan,
];

/// Lengths for the barrier's payload, for one epoch, and for several.
const LENGTHS: [usize; 3] = [2, 1000, 70_000];

const IMAGES: [usize; 3] = [2, 3, 5];

/// Carries out an operation of that kind.
fn combine(
    kind: Kind,
    algorithm: Algorithm,
    values: &mut [u64],
    operation: impl Fn(u64, u64) -> u64,
) -> Result<(), ImageFailed> {
    let by = Collective::new().algorithm(algorithm);
    match kind {
        Kind::Reduce => by.try_co_reduce(values, operation),
        Kind::ReduceTo => by.try_co_reduce_to(values, 0, operation),
        Kind::ReduceScatter => {
            by.try_co_reduce_scatter(&values.repeat(num_images()), values, operation)
        }
        _ => by.try_co_scan(values, operation),
    }
}

/// All kinds by all algorithms on values of all lengths.
fn each(check: impl Fn(usize, Kind, Algorithm, usize)) {
    for kind in KINDS {
        for &algorithm in kind.algorithms() {
            for length in LENGTHS {
                for images in IMAGES {
                    check(images, kind, algorithm, length);
                }
            }
        }
    }
}

fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

#[test]
fn an_operation_that_panics_ends_the_job_with_its_message_and_place() {
    each(|images, kind, algorithm, length| {
        let failure = Launch::new(images)
            .run(|| {
                let mut values = vec![1; length];
                let panics = |_, _| panic!("no such sum");
                combine(kind, algorithm, &mut values, panics)
            })
            .unwrap_err();
        let Failure { code, text, .. } = failure;
        assert!(
            code == 101
                && text.starts_with("panicked at coarray/tests/operators.rs:")
                && text.ends_with(": no such sum"),
            "{kind:?} {algorithm} {length} {images}: {text}"
        );
    });
}

#[test]
fn where_jobs_keep_going_the_others_get_the_same_error_and_go_on() {
    each(|images, kind, algorithm, length| {
        let survivors = Launch::new(images)
            .keep_going(true)
            .run(|| {
                let work = |values: &mut [u64]| {
                    combine(kind, algorithm, values, |a, b| {
                        // Image 0 combines the most values in every algorithm.
                        assert!(a < 1_000_000 || this_image() != 0, "too much");
                        a + b
                    })
                };
                let start = if this_image() == 0 { 999_999 } else { 1 };
                let mut turn = 0;
                let failed = loop {
                    let mut values = vec![start + turn; length];
                    if let Err(failed) = work(&mut values) {
                        break failed.images;
                    }
                    // In a scan, not every algorithm has image 0 combine values.
                    if turn == 5 {
                        assert!(this_image() > 0 || kind == Kind::Scan, "never joined");
                        if this_image() == 0 {
                            panic!("too much");
                        }
                    }
                    turn += 1;
                };
                let mut one = 1;
                let went_on =
                    Team::form_survivors(1).try_change(|| try_co_sum(&mut one).map(|()| one));
                assert_eq!(went_on, Ok(Ok(images - 1)));
                (turn, failed)
            })
            .unwrap();
        assert_eq!(survivors.len(), images - 1, "{kind:?} {algorithm} {length}");
        assert!(
            survivors
                .iter()
                .all(|told| *told == survivors[0] && told.1 == [0]),
            "{kind:?} {algorithm} {length} {images}: {survivors:?}"
        );
    });
}

/// Whether the text reports what the program did wrong.
fn is_report(text: &str) -> bool {
    text.contains("are in different collective operations")
        || text.contains("a collective was called while another one was in progress")
        || text.contains("deadlock: no image can go on")
}

#[test]
fn after_a_panic_caught_on_one_image_there_are_right_values_or_a_report() {
    each(|images, kind, algorithm, length| {
        let run = Launch::new(images).run(|| {
            let me = this_image();
            let caught = catch_unwind(|| {
                let mut values = vec![1; length];
                combine(kind, algorithm, &mut values, |a, b| {
                    assert!(this_image() != 1, "a private matter");
                    a + b
                })
            });
            assert!(me == 1 || caught.is_ok());
            // The same operation again, which must not be taken for the rest of the first.
            let mut values: Vec<u64> = (0..length as u64).map(|i| i + me as u64).collect();
            combine(kind, algorithm, &mut values, add).unwrap();
            let expected = |i: u64| match kind {
                Kind::ReduceTo if me > 0 => i + me as u64,
                Kind::Scan => (0..=me as u64).map(|image| i + image).sum(),
                _ => (0..images as u64).map(|image| i + image).sum(),
            };
            assert!((0..length as u64).map(expected).eq(values));
        });
        if let Err(failure) = run {
            let text = failure.to_string();
            assert!(
                is_report(&text),
                "{kind:?} {algorithm} {length} {images}: {text}"
            );
        }
    });
}

#[test]
fn after_a_panic_caught_on_all_images_there_are_right_values_or_a_report() {
    each(|images, kind, algorithm, length| {
        let run = Launch::new(images).run(|| {
            for _ in 0..3 {
                let _ = catch_unwind(|| {
                    let mut values = vec![1; length];
                    combine(kind, algorithm, &mut values, |_, _| panic!("no such sum"))
                });
            }
            let mut sum = [1; 1000];
            co_sum(&mut sum);
            assert_eq!(sum, [images; 1000]);
        });
        if let Err(failure) = run {
            let text = failure.to_string();
            assert!(
                is_report(&text),
                "{kind:?} {algorithm} {length} {images}: {text}"
            );
        }
    });
}

#[test]
fn an_operation_may_not_call_a_collective() {
    each(|images, kind, algorithm, length| {
        let failure = Launch::new(images)
            .run(|| {
                let mut values = vec![1; length];
                combine(kind, algorithm, &mut values, |a, b| {
                    co_sum(&mut 1);
                    a + b
                })
            })
            .unwrap_err();
        let text = failure.to_string();
        assert!(is_report(&text), "{kind:?} {algorithm} {length}: {text}");
    });
}

#[test]
fn an_operation_may_use_another_team_where_all_images_combine_alike() {
    let run = Launch::new(3).run(|| {
        let team = Team::form(1);
        let mut values = [1; 100];
        Collective::new()
            .algorithm(Algorithm::Flat)
            .co_reduce(&mut values, |a, b| {
                let mut images = 1;
                team.change(|| co_sum(&mut images));
                a + b * images - 2 * b
            });
        assert_eq!(values, [3; 100]);
    });
    run.unwrap();
}

/// The payloads of a barrier in the operation are not the payloads of the collective's barrier.
#[test]
fn an_operation_that_meets_the_others_reads_no_words_of_that_meeting() {
    for images in IMAGES {
        let run = Launch::new(images).run(|| {
            let mut value = NonZeroU32::MIN;
            co_reduce(&mut value, |a, b| {
                sync_all();
                assert_ne!(b.get(), 0);
                a
            });
        });
        match run {
            // With two images there is nothing to read after the first barrier.
            Ok(_) => assert_eq!(images, 2),
            Err(failure) => assert!(
                failure
                    .to_string()
                    .contains("images entered a barrier while a collective was in progress"),
                "{failure}"
            ),
        }
    }
}

#[test]
fn operations_that_differ_between_images_do_no_harm() {
    each(|images, kind, algorithm, length| {
        let run = Launch::new(images).run(|| {
            let mut values = vec![1; length];
            let factor = this_image() as u64;
            combine(kind, algorithm, &mut values, |a, b| {
                a.wrapping_mul(factor).wrapping_add(b)
            })
            .unwrap();
            let mut one = 1;
            co_sum(&mut one);
            assert_eq!(one, images);
        });
        run.unwrap();
    });
}

#[test]
fn types_of_the_same_size_are_not_taken_for_each_other() {
    each(|images, _, _, length| {
        let failure = Launch::new(images)
            .run(|| {
                if this_image() == 0 {
                    co_sum(&mut vec![1_u32; length]);
                } else {
                    co_sum(&mut vec![1.0_f32; length]);
                }
            })
            .unwrap_err();
        assert!(is_report(&failure.to_string()), "{failure}");
    });
}

#[test]
fn an_asynchronous_operation_may_panic_call_collectives_and_be_called_again() {
    let run = Launch::new(3).run(|| {
        for length in [3, 10_000] {
            let sum = co_reduce_async(vec![1_usize; length], |_, _| panic!("no such sum"));
            let later = co_sum_async(vec![1; length]);
            assert!(catch_unwind(AssertUnwindSafe(|| sum.wait())).is_err());
            assert_eq!(later.wait(), vec![3; length]);
        }
        let nested = co_reduce_async([1_usize; 3], |a, b| {
            let (mut one, many) = (1, co_sum_async(vec![b; 5000]));
            co_sum(&mut one);
            assert_eq!((one, many.wait()), (3, vec![3; 5000]));
            a + b
        });
        assert_eq!(nested.wait(), [3; 3]);
    });
    run.unwrap();
    let failure = Launch::new(3)
        .run(|| co_reduce_async([1_u8; 3], |_, _| panic!("no such sum")).wait())
        .unwrap_err();
    assert!(
        failure
            .text
            .starts_with("panicked at coarray/tests/operators.rs:"),
        "{failure}"
    );
}

/// Only where additions are checked, so not in a release build.
#[cfg(debug_assertions)]
#[test]
fn an_addition_that_overflows_names_the_line_of_the_call() {
    let line = line!() + 1;
    let run = Launch::new(3).run(|| co_sum(&mut [100_i8; 40]));
    let text = run.unwrap_err().to_string();
    let call = format!("within the collective operation at {}:{line}:", file!());
    assert!(text.contains(&call), "{text}");
    assert!(text.ends_with("attempt to add with overflow"), "{text}");
}
