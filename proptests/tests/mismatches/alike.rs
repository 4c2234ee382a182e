//! Calls of one operation that differ in what they are about; and calls that differ in nothing but their
//! place in the program.

use coarray::failure::Failure;
use coarray::prelude::*;
use coarray_proptests::IMAGE_COUNTS;

use crate::{divisions, parse, report, watched};

/// Lets the last image do `other` and the rest `one`, and checks what the report says about either.
#[track_caller]
fn differ(words: [&str; 2], one: impl Fn() + Sync, other: impl Fn() + Sync) {
    for images in [2, 3, 4].into_iter().flat_map(divisions) {
        let case = format!("{words:?} with {images:?}");
        let report = report(images, &case, || {
            if this_image() + 1 == images.count {
                other()
            } else {
                one()
            }
        });
        for (image, operation) in parse(&report) {
            let words = words[usize::from(image + 1 == images.count)];
            assert!(operation.starts_with(words), "{case}: {report}");
            assert!(
                operation.contains("tests/mismatches/alike.rs:"),
                "{case}: {report}"
            );
        }
    }
}

#[test]
fn creations_of_different_types_or_lengths_are_told_apart() {
    differ(
        [
            "creation of a coarray of u32 at ",
            "creation of a coarray of i32 at ",
        ],
        || drop(Coarray::new(1u32)),
        || drop(Coarray::new(1i32)),
    );
    differ(
        [
            "creation of a coarray of 3 x [u8] at ",
            "creation of a coarray of 4 x [u8] at ",
        ],
        || drop(Coarray::<[u8]>::zeroed(3)),
        || drop(Coarray::<[u8]>::zeroed(4)),
    );
    differ(
        [
            "creation of a coarray of [u8; 3] at ",
            "creation of a coarray of 3 x [u8] at ",
        ],
        || drop(Coarray::<[u8; 3]>::zeroed()),
        || drop(Coarray::<[u8]>::zeroed(3)),
    );
    differ(
        [
            "creation of a coarray of Coatomic<i64> at ",
            "creation of a coarray of i64 at ",
        ],
        || drop(Coarray::new(Coatomic::new(1i64))),
        || drop(Coarray::new(1i64)),
    );
}

/// Of four words of payload, the last takes the place of a word of the signature. It is any number, also one that the others' calls have there.
#[test]
fn calls_whose_payload_is_full_are_told_apart_from_all_others() {
    for last in [0, 1, u64::MAX >> 3] {
        let full = || co_sum(&mut [1, 2, 3, last]);
        differ(
            ["co_sum of 4 x u64 at ", "co_sum of 3 x u64 at "],
            full,
            || co_sum(&mut [1u64, 2, 3]),
        );
        differ(
            ["co_sum of 4 x u64 at ", "co_sum of 5 x u64 at "],
            full,
            || co_sum(&mut [1u64, 2, 3, 4, 5]),
        );
        differ(
            ["co_sum of 4 x u64 at ", "co_sum of 4 x i64 at "],
            full,
            || co_sum(&mut [1i64, 2, 3, last as i64]),
        );
        differ(
            ["co_sum of 4 x u64 at ", "co_max of 4 x u64 at "],
            full,
            || co_max(&mut [1, 2, 3, last]),
        );
        differ(
            [
                "co_sum of 4 x u64 at ",
                "co_sum_to of 4 x u64 to image 1 at ",
            ],
            full,
            || coarray::collectives::co_sum_to(&mut [1, 2, 3, last], 1),
        );
        differ(["co_sum of 4 x u64 at ", "sync_all at "], full, || {
            coarray::collectives::Collective::new().sync_all();
        });
        differ(
            [
                "co_allgather of 4 x u64 at ",
                "co_gather of 4 x u64 to image 1 at ",
            ],
            || co_allgather(&[1, 2, 3, last], &mut vec![0; 4 * num_images()]),
            || coarray::collectives::co_gather(&[1, 2, 3, last], &mut [0; 16], 1),
        );
    }
}

#[test]
fn values_of_different_types_or_lengths_are_told_apart() {
    differ(
        ["co_sum of f32 at ", "co_sum of u32 at "],
        || co_sum(&mut 1f32),
        || co_sum(&mut 1u32),
    );
    differ(
        ["co_sum of 10 x u8 at ", "co_sum of 11 x u8 at "],
        || co_sum(&mut vec![0u8; 10]),
        || co_sum(&mut vec![0u8; 11]),
    );
    // The first pieces of both are equally long.
    differ(
        ["co_sum of 100000 x u8 at ", "co_sum of 300000 x u8 at "],
        || co_sum(&mut vec![0u8; 100_000]),
        || co_sum(&mut vec![0u8; 300_000]),
    );
    differ(
        ["co_min of u64 at ", "co_min of i64 at "],
        || co_min(&mut 1u64),
        || co_min(&mut 1i64),
    );
    differ(
        ["co_max of 0 x char at ", "co_max of char at "],
        || co_max(&mut ['a'; 0]),
        || co_max(&mut 'a'),
    );
    differ(
        ["co_reduce of 4 x bool at ", "co_reduce of 4 x u8 at "],
        || co_reduce(&mut [true; 4], |a, b| a ^ b),
        || co_reduce(&mut [1u8; 4], |a, b| a ^ b),
    );
    differ(
        [
            "co_broadcast of i8 from image 0 at ",
            "co_broadcast of u8 from image 0 at ",
        ],
        || co_broadcast(&mut 1i8, 0),
        || co_broadcast(&mut 1u8, 0),
    );
    differ(
        [
            "co_broadcast of 7 x i8 from image 1 at ",
            "co_broadcast of 8 x i8 from image 1 at ",
        ],
        || co_broadcast(&mut [1i8; 7], 1),
        || co_broadcast(&mut [1i8; 8], 1),
    );
}

#[test]
fn broadcasts_from_different_images_are_told_apart() {
    differ(
        [
            "co_broadcast of i8 from image 0 at ",
            "co_broadcast of i8 from image 1 at ",
        ],
        || co_broadcast(&mut 1i8, 0),
        || co_broadcast(&mut 1i8, 1),
    );
}

/// Makes two coarrays of one type in different lines, and lets `body` use the first, or, where it is told
/// so, on the last image, the second. Checks that the report tells them apart by these lines.
#[track_caller]
fn swapped(operation: &str, body: impl Fn(&mut Coarray<u8>, &mut Coarray<u8>, bool) + Sync) {
    let lines = [line!() + 4, line!() + 5];
    for images in [2, 3, 4] {
        let report = report(images, operation, || {
            let is_last = this_image() + 1 == images;
            let mut one = Coarray::new(1u8);
            let mut other = Coarray::new(2u8);
            body(&mut one, &mut other, is_last);
        });
        for (image, text) in parse(&report) {
            let line = lines[usize::from(image + 1 == images)];
            let created = format!(
                "{operation}the coarray of u8 created at {}:{line}:",
                file!()
            );
            assert!(text.starts_with(&created), "{report}");
        }
    }
}

#[test]
fn phases_of_different_coarrays_are_told_apart() {
    swapped("open of ", |one, other, swap| {
        drop(if swap { other.open() } else { one.open() })
    });
    swapped("publish of ", |one, other, swap| {
        drop(if swap { other.publish() } else { one.publish() })
    });
    swapped("open of ", |one, other, swap| {
        drop(coarray::open(if swap {
            (other, one)
        } else {
            (one, other)
        }));
    });
    swapped("open of ", |one, other, swap| {
        if swap {
            drop(coarray::open((other, one)))
        } else {
            drop(one.open())
        }
    });
}

#[test]
fn guards_that_are_dropped_in_different_orders_are_told_apart() {
    swapped("the end of the open phase of ", |one, other, swap| {
        let (one, other) = coarray::open((one, other));
        if swap { drop(other) } else { drop(one) }
    });
    swapped("the end of the read-only phase of ", |one, other, swap| {
        let (one, other) = (one.publish(), other.publish());
        if swap { drop(other) } else { drop(one) }
    });
}

#[test]
fn runs_are_told_apart_from_coarrays_and_from_each_other() {
    let run = || Ragged::from_fn(this_image(), |_| 1u8);
    for images in [2, 3] {
        let report = report(images, "runs", || {
            let (mut one, mut other) = (run(), run());
            drop(if this_image() == 0 {
                one.open()
            } else {
                other.open()
            });
        });
        for (_, text) in parse(&report) {
            assert!(text.starts_with("open of the Ragged<u8> "), "{report}");
            assert!(text.contains(&format!("{}:", file!())), "{report}");
        }
    }
}

#[test]
fn different_numbers_of_rows_are_told_apart_and_so_are_rows_and_runs() {
    let said = |body: fn()| {
        let report = report(2, "rows", body);
        let said = parse(&report).map(|(_, text)| text.to_owned());
        assert!(
            said.iter()
                .all(|text| text.contains(&format!("{}:", file!()))),
            "{report}"
        );
        said
    };
    let numbers = said(|| drop(RaggedRows::<u8>::empty(3 + this_image())));
    assert!(
        numbers[0].starts_with("creation of RaggedRows<u8> of length 3 at "),
        "{numbers:?}"
    );
    assert!(
        numbers[1].starts_with("creation of RaggedRows<u8> of length 4 at "),
        "{numbers:?}"
    );
    let kinds = said(|| match this_image() {
        0 => drop(RaggedRows::<u8>::empty(1)),
        _ => drop(Ragged::<u8>::empty()),
    });
    assert!(
        kinds[0].starts_with("creation of RaggedRows<u8> at "),
        "{kinds:?}"
    );
    assert!(
        kinds[1].starts_with("creation of Ragged<u8> at "),
        "{kinds:?}"
    );
    let opened = said(|| {
        let mut both = [0, 1].map(|_| RaggedRows::<u8>::empty(2));
        drop(both[this_image()].open());
    });
    assert!(
        opened[0].starts_with("open of the RaggedRows<u8> "),
        "{opened:?}"
    );
}

#[test]
fn calls_in_different_lines_are_the_same_operation() -> Result<(), Failure> {
    for images in IMAGE_COUNTS {
        watched(images, "different lines", || {
            let mut sum = this_image();
            let mut coarray = if this_image() == 0 {
                Coarray::new(1u8)
            } else {
                Coarray::new(2u8)
            };
            if this_image().is_multiple_of(2) {
                drop(coarray.open());
                co_sum(&mut sum);
                sync_all();
                co_broadcast(&mut sum, 0);
                drop(coarray.publish());
            } else {
                coarray.open().close();
                co_sum(std::slice::from_mut(&mut sum));
                sync_all();
                co_broadcast(std::slice::from_mut(&mut sum), 0);
                coarray.publish().close();
            }
            assert_eq!(sum, num_images() * (num_images() - 1) / 2);
            assert_eq!(*coarray, if this_image() == 0 { 1 } else { 2 });
        })?;
    }
    Ok(())
}
