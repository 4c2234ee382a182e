//! Collectives in which images post values and go on: the next barrier finds what differs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::asynchronous::co_sum_async;
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
        for odd in [0, 3, 62, 63, 64, 500, 999] {
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

#[test]
fn asynchronous_collectives_are_in_one_order_with_posts() {
    for images in [2, 3] {
        let report = report(images, "order", || {
            let sum = || co_sum_async(1u8);
            let broadcast = || eager().co_broadcast(&mut 1u8, 0);
            match this_image() {
                1 => {
                    let sum = sum();
                    broadcast();
                    sum.wait();
                }
                _ => {
                    broadcast();
                    sum().wait();
                }
            }
        });
        for (image, operation) in parse(&report) {
            let words = ["co_broadcast of u8", "co_sum_async of u8"][usize::from(image == 1)];
            assert!(operation.starts_with(words), "{report}");
        }
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
