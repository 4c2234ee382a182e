//! Collectives in which images post values and go on: the next barrier finds what differs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;

use crate::algorithms::differ;
use crate::{parse, report, watched};

fn eager() -> Collective {
    Collective::new().algorithm(Algorithm::Eager)
}

#[test]
fn a_post_that_one_image_leaves_out_is_named() {
    // A closure: the compiler would call a function by its name from a line of its own.
    differ(
        [
            "co_broadcast of u8 from image 0 by eager at ",
            "sync_all at ",
        ],
        || {
            eager().co_broadcast(&mut 1u8, 0);
            sync_all();
        },
        || sync_all(),
    );
    differ(
        ["co_scan of u8 by eager at ", "co_sum of u8 at "],
        || {
            eager().co_scan(&mut 1u8, |one, _| one);
            co_sum(&mut 1u8);
        },
        || co_sum(&mut 1u8),
    );
}

#[test]
fn a_post_is_named_also_to_an_image_that_ends() {
    for images in [2, 3, 5] {
        let report = report(images, "the end", || {
            if this_image() != 1 {
                eager().co_broadcast(&mut 1u8, 0);
            }
        });
        for (image, operation) in parse(&report) {
            let words = match image {
                1 => "the end of the program",
                _ => "co_broadcast of u8 from image 0 by eager at ",
            };
            assert!(operation.starts_with(words), "{report}");
        }
    }
}

#[test]
fn the_one_post_of_many_that_differs_is_named() {
    for images in [2, 4] {
        for odd in [0, 3, 254, 255, 256, 257, 500, 999] {
            let report = report(images, "many", || {
                for number in 0..1000 {
                    let root = usize::from(number == odd && this_image() == 1);
                    eager().co_broadcast(&mut 1u8, root);
                }
            });
            let roots = parse(&report).map(|(_, operation)| {
                let rest = operation.strip_prefix("co_broadcast of u8 from image ");
                rest.and_then(|rest| rest.split(' ').next())
            });
            assert!(
                roots.contains(&Some("0")) && roots.contains(&Some("1")),
                "{report}"
            );
        }
    }
}

/// A call site of its own for each type.
fn post<T: Remote + Default>() {
    eager().co_broadcast(&mut T::default(), 0);
}

#[test]
fn a_post_is_named_whose_line_and_type_are_known_no_more() {
    // More types than an image keeps texts of.
    let many = [
        post::<u8>,
        post::<u16>,
        post::<u32>,
        post::<u64>,
        post::<i8>,
        post::<i16>,
        post::<i32>,
        post::<i64>,
        post::<f32>,
        post::<f64>,
        post::<[u8; 2]>,
        post::<[u8; 3]>,
        post::<[u8; 4]>,
        post::<[u8; 5]>,
        post::<[u8; 6]>,
        post::<[u8; 7]>,
        post::<[u8; 8]>,
    ];
    for kept in [1, 14, 15, 17] {
        let report = report(2, "texts", || {
            match this_image() {
                0 => post::<bool>(),
                _ => eager().co_gather(&1u128, &mut [0; 2], 0),
            }
            many[..kept].iter().for_each(|post| post());
            sync_all();
        });
        let words = parse(&report).map(|(_, words)| words);
        let known = [0, 1].map(|one| {
            let texts = ["co_broadcast of bool from", "co_gather of u128 to"];
            words[one].starts_with(texts[one])
        });
        // The call of `sync_all` has a text, too.
        if kept < 15 {
            assert_eq!(known, [true; 2], "{report}");
        }
        let names = ["co_broadcast of ", "co_gather of "];
        assert!(
            (0..2).all(|one| words[one].starts_with(names[one])),
            "{report}"
        );
    }
}

#[test]
fn an_image_that_catches_the_panic_of_an_operator_goes_on() {
    let outcome = watched(3, "caught", || {
        for number in 0..300 {
            let scan = || {
                eager().co_scan(&mut 1u64, |one, other| {
                    assert!(number % 7 > 0 || this_image() != 1, "no sum");
                    one + other
                });
            };
            let caught = catch_unwind(AssertUnwindSafe(scan)).is_err();
            assert_eq!(caught, number % 7 == 0 && this_image() == 1);
        }
    });
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn a_team_finds_it_before_it_ends() {
    let report = report(4, "a team", || {
        let team = Team::form(this_image() as u64 % 2);
        team.change(|| {
            if this_image() == 0 {
                eager().co_gather(&1u8, &mut [0; 2], 1);
            }
        });
    });
    let words: Vec<&str> = parse(&report).into_iter().map(|(_, words)| words).collect();
    assert!(
        words[0].starts_with("co_gather of u8 to image 1 by eager of team "),
        "{report}"
    );
    assert!(words[1].contains("Team::change"), "{report}");
}
