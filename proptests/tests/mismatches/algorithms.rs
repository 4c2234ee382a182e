//! Calls that differ in what they are about, by every algorithm: also where images pass on data step by step and
//! some of them are not in a step but in a meeting of all.

use coarray::collectives::{Algorithm, Collective, Kind, co_sum_to};
use coarray::prelude::*;

use crate::{Images, divisions, parse, report};

/// Lets one image do `other` and the rest `one`, and checks what the report says about either.
#[track_caller]
pub fn differ(words: [&str; 2], one: impl Fn() + Sync, other: impl Fn() + Sync) {
    for (images, odd) in [(2, 0), (2, 1), (3, 0), (3, 1), (5, 0), (5, 3), (5, 4)] {
        for images in divisions(images) {
            let case = format!("{words:?} on image {odd} of {images:?}");
            let report = report(images, &case, || {
                if this_image() == odd { other() } else { one() }
            });
            for (image, operation) in parse(&report) {
                let words = words[usize::from(image == odd)];
                assert!(operation.starts_with(words), "{case}: {report}");
                let place = "tests/mismatches/";
                assert!(operation.contains(place), "{case}: {report}");
            }
        }
    }
}

/// What a report calls an operation by an algorithm.
pub fn by(what: &str, algorithm: Algorithm) -> String {
    format!("{what} by {algorithm} at ")
}

/// [`differ`] for two operations by one algorithm, with all that an operation of that kind can have.
#[track_caller]
pub fn differ_by_all(
    kind: Kind,
    words: [&str; 2],
    one: impl Fn(Collective) + Sync,
    other: impl Fn(Collective) + Sync,
) {
    for &algorithm in kind.algorithms() {
        let how = Collective::new().algorithm(algorithm);
        let words = words.map(|what| by(what, algorithm));
        differ(
            words.each_ref().map(String::as_str),
            || one(how),
            || other(how),
        );
    }
}

#[test]
fn broadcasts_of_different_lengths_are_told_apart() {
    differ_by_all(
        Kind::Broadcast,
        [
            "co_broadcast of 100 x u8 from image 0",
            "co_broadcast of 101 x u8 from image 0",
        ],
        |how| how.co_broadcast(&mut [0u8; 100], 0),
        |how| how.co_broadcast(&mut [0u8; 101], 0),
    );
    differ_by_all(
        Kind::Broadcast,
        [
            "co_broadcast of u8 from image 1",
            "co_broadcast of 0 x u8 from image 1",
        ],
        |how| how.co_broadcast(&mut 0u8, 1),
        |how| how.co_broadcast(&mut [0u8; 0], 1),
    );
}

#[test]
fn broadcasts_that_are_alike_in_their_first_piece_are_told_apart() {
    differ_by_all(
        Kind::Broadcast,
        [
            "co_broadcast of 100000 x u8 from image 0",
            "co_broadcast of 300000 x u8 from image 0",
        ],
        |how| how.co_broadcast(&mut vec![0u8; 100_000], 0),
        |how| how.co_broadcast(&mut vec![0u8; 300_000], 0),
    );
}

#[test]
fn broadcasts_of_different_types_are_told_apart() {
    differ_by_all(
        Kind::Broadcast,
        [
            "co_broadcast of 9 x u8 from image 1",
            "co_broadcast of 9 x bool from image 1",
        ],
        |how| how.co_broadcast(&mut [2u8; 9], 1),
        |how| how.co_broadcast(&mut [true; 9], 1),
    );
}

#[test]
fn broadcasts_from_different_images_are_told_apart() {
    differ_by_all(
        Kind::Broadcast,
        [
            "co_broadcast of i8 from image 0",
            "co_broadcast of i8 from image 1",
        ],
        |how| how.co_broadcast(&mut 1i8, 0),
        |how| how.co_broadcast(&mut 1i8, 1),
    );
}

#[test]
fn a_broadcast_from_no_image_on_one_image_is_told_apart_from_that_of_the_others() {
    differ_by_all(
        Kind::Broadcast,
        [
            "co_broadcast of i8 from image 0",
            "co_broadcast of i8 from image 900",
        ],
        |how| how.co_broadcast(&mut 1i8, 0),
        |how| how.co_broadcast(&mut 1i8, 900),
    );
    differ_by_all(
        Kind::Broadcast,
        [
            "co_broadcast of i8 from image 900",
            "co_broadcast of i8 from image 1",
        ],
        |how| how.co_broadcast(&mut 1i8, 900),
        |how| how.co_broadcast(&mut 1i8, 1),
    );
}

#[test]
fn reductions_of_different_lengths_are_told_apart() {
    differ_by_all(
        Kind::Reduce,
        ["co_sum of 100 x u64", "co_sum of 99 x u64"],
        |how| how.co_sum(&mut [0u64; 100]),
        |how| how.co_sum(&mut [0u64; 99]),
    );
    differ_by_all(
        Kind::Reduce,
        ["co_max of u64", "co_max of 0 x u64"],
        |how| how.co_max(&mut 1u64),
        |how| how.co_max(&mut [0u64; 0]),
    );
    differ_by_all(
        Kind::ReduceTo,
        [
            "co_min_to of 10000 x f64 to image 1",
            "co_min_to of 20000 x f64 to image 1",
        ],
        |how| how.co_min_to(&mut vec![0.0; 10_000], 1),
        |how| how.co_min_to(&mut vec![0.0; 20_000], 1),
    );
}

#[test]
fn reductions_of_different_types_are_told_apart() {
    differ_by_all(
        Kind::Reduce,
        ["co_sum of 9 x u32", "co_sum of 9 x f32"],
        |how| how.co_sum(&mut [1u32; 9]),
        |how| how.co_sum(&mut [1f32; 9]),
    );
    differ_by_all(
        Kind::ReduceTo,
        [
            "co_reduce_to of 4 x bool to image 0",
            "co_reduce_to of 4 x u8 to image 0",
        ],
        |how| how.co_reduce_to(&mut [true; 4], 0, |a, b| a ^ b),
        |how| how.co_reduce_to(&mut [1u8; 4], 0, |a, b| a ^ b),
    );
}

#[test]
fn reductions_to_different_images_are_told_apart() {
    differ_by_all(
        Kind::ReduceTo,
        [
            "co_sum_to of 5 x u64 to image 0",
            "co_sum_to of 5 x u64 to image 1",
        ],
        |how| how.co_sum_to(&mut [0u64; 5], 0),
        |how| how.co_sum_to(&mut [0u64; 5], 1),
    );
}

#[test]
fn a_reduction_to_no_image_on_one_image_is_told_apart_from_that_of_the_others() {
    differ_by_all(
        Kind::ReduceTo,
        [
            "co_max_to of 5 x u64 to image 1",
            "co_max_to of 5 x u64 to image 99",
        ],
        |how| how.co_max_to(&mut [0u64; 5], 1),
        |how| how.co_max_to(&mut [0u64; 5], 99),
    );
}

#[test]
fn different_operations_are_told_apart() {
    differ_by_all(
        Kind::Reduce,
        ["co_sum of 7 x u64", "co_min of 7 x u64"],
        |how| how.co_sum(&mut [0u64; 7]),
        |how| how.co_min(&mut [0u64; 7]),
    );
    differ_by_all(
        Kind::Reduce,
        ["co_all", "co_any"],
        |how| _ = how.co_all(true),
        |how| _ = how.co_any(true),
    );
    let to_image_1 = [
        "co_min_to of 7 x u64 to image 1",
        "co_sum_to of 7 x u64 to image 1",
    ];
    differ_by_all(
        Kind::ReduceTo,
        to_image_1,
        |how| how.co_min_to(&mut [0u64; 7], 1),
        |how| how.co_sum_to(&mut [0u64; 7], 1),
    );
    differ(
        ["co_sum of 7 x u64", to_image_1[1]],
        || co_sum(&mut [0u64; 7]),
        || co_sum_to(&mut [0u64; 7], 1),
    );
}

/// [`differ`] for an operation by each of its algorithms, and one that has none.
#[track_caller]
pub fn differ_from(
    kind: Kind,
    what: &str,
    other_words: &str,
    one: impl Fn(Collective) + Sync,
    other: impl Fn() + Sync,
) {
    for &algorithm in kind.algorithms() {
        let how = Collective::new().algorithm(algorithm);
        let words = by(what, algorithm);
        differ([&words, other_words], || one(how), &other);
        differ([other_words, &words], &other, || one(how));
    }
}

#[test]
fn operations_in_steps_are_told_apart_from_a_barrier() {
    differ_from(
        Kind::Broadcast,
        "co_broadcast of 3 x i32 from image 1",
        "sync_all at ",
        |how| how.co_broadcast(&mut [0; 3], 1),
        || sync_all(),
    );
    differ_from(
        Kind::Reduce,
        "co_sum of 3 x i32",
        "sync_all at ",
        |how| how.co_sum(&mut [0; 3]),
        || sync_all(),
    );
    differ_from(
        Kind::ReduceTo,
        "co_max_to of 3 x i32 to image 1",
        "sync_all at ",
        |how| how.co_max_to(&mut [0; 3], 1),
        || sync_all(),
    );
}

#[test]
fn operations_in_steps_are_told_apart_from_the_creation_of_a_coarray() {
    differ_from(
        Kind::Broadcast,
        "co_broadcast of 40000 x i32 from image 0",
        "creation of a coarray of i8 at ",
        |how| how.co_broadcast(&mut vec![0; 40_000], 0),
        || drop(Coarray::new(1i8)),
    );
    differ_from(
        Kind::Reduce,
        "co_sum of 40000 x i32",
        "creation of a coarray of i8 at ",
        |how| how.co_sum(&mut vec![0; 40_000]),
        || drop(Coarray::new(1i8)),
    );
}

#[test]
fn different_algorithms_are_told_apart() {
    for kind in [Kind::Broadcast, Kind::Reduce, Kind::ReduceTo] {
        let call = |algorithm| {
            let how = Collective::new().algorithm(algorithm);
            let mut values = [0u64; 20];
            match kind {
                Kind::Broadcast => how.co_broadcast(&mut values, 1),
                Kind::Reduce => how.co_sum(&mut values),
                _ => how.co_sum_to(&mut values, 0),
            }
        };
        let what = match kind {
            Kind::Broadcast => "co_broadcast of 20 x u64 from image 1",
            Kind::Reduce => "co_sum of 20 x u64",
            _ => "co_sum_to of 20 x u64 to image 0",
        };
        for (index, &one) in kind.algorithms().iter().enumerate() {
            for &other in &kind.algorithms()[..index] {
                let words = [one, other].map(|algorithm| by(what, algorithm));
                let words = words.each_ref().map(String::as_str);
                differ(words, || call(one), || call(other));
            }
        }
    }
}

#[test]
fn an_algorithm_of_the_program_is_told_apart_from_the_choice_of_the_table() {
    for &algorithm in Kind::Reduce.algorithms() {
        let words = by("co_sum of f32", algorithm);
        differ(
            [&words, "co_sum of f32 at "],
            || Collective::new().algorithm(algorithm).co_sum(&mut 1f32),
            || co_sum(&mut 1f32),
        );
    }
}

#[test]
fn choices_of_the_table_by_different_lengths_are_told_apart() {
    // These are on the two sides of limits of the built-in rules.
    for (images, few, many) in [(2, 256, 257), (5, 256, 257), (35, 1, 257), (35, 256, 257)] {
        for odd in [0, images / 2, images - 1] {
            differ_in_length(images.into(), odd, few, many);
        }
    }
    for images in divisions(5) {
        for odd in [0, 2, 4] {
            differ_in_length(images, odd, 3, 4);
        }
    }
}

/// Lets one image add so many numbers and the rest so few, and checks what the report says about either.
#[track_caller]
fn differ_in_length(images: Images, odd: usize, few: usize, many: usize) {
    let report = report(images, "built-in choices", || {
        let length = if this_image() == odd { many } else { few };
        co_sum(&mut vec![0u64; length]);
    });
    for (image, operation) in parse(&report) {
        let length = if image == odd { many } else { few };
        let words = match length {
            1 => "co_sum of u64 at ".to_owned(),
            _ => format!("co_sum of {length} x u64 at "),
        };
        assert!(operation.starts_with(&words), "{report}");
    }
}

/// A job in which all images do the same, and that fails; its reports on one machine and on several nodes.
#[track_caller]
pub fn refusals(case: &str, body: impl Fn() + Sync) -> Vec<String> {
    let jobs = divisions(3).into_iter();
    jobs.map(|images| report(images, case, &body)).collect()
}

#[test]
fn a_root_that_is_no_image_anywhere_is_named() {
    for number in [3, 4, 1 << 40, usize::MAX] {
        for kind in [Kind::Broadcast, Kind::ReduceTo] {
            for &algorithm in kind.algorithms() {
                let how = Collective::new().algorithm(algorithm);
                let reports = refusals("no such root", || match kind {
                    Kind::Broadcast => how.co_broadcast(&mut [1u8; 2], number),
                    _ => how.co_sum_to(&mut [1u8; 2], number),
                });
                let name = match kind {
                    Kind::Broadcast => "co_broadcast",
                    _ => "co_sum_to",
                };
                let expected =
                    format!("{name} with image {number} as root, but there are 3 images");
                for report in reports {
                    assert!(report.contains(&expected), "{report}");
                    let place = "tests/mismatches/algorithms.rs:";
                    assert!(report.contains(place), "{report}");
                }
            }
        }
    }
}

#[test]
fn an_algorithm_that_an_operation_does_not_have_is_named() {
    let reports = refusals("no such algorithm", || {
        Collective::new()
            .algorithm(Algorithm::Ring)
            .co_broadcast(&mut 1, 0);
    });
    let expected = "co_broadcast has no algorithm `ring`: it has flat, binomial, ";
    for report in reports {
        assert!(report.contains(expected), "{report}");
        let place = "tests/mismatches/algorithms.rs:";
        assert!(report.contains(place), "{report}");
    }
}
