//! Collectives in which images post values and go on: the next barrier finds what differs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;

use crate::algorithms::differ;
use crate::{Images, divisions, parse, report, watched};

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
    for images in [2, 3, 5].into_iter().flat_map(divisions) {
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
    for images in [2, 4].into_iter().flat_map(divisions) {
        // All have read 256 posts before the next one; 128 between nodes, where the posts of one image have 8 KiB.
        for odd in [0, 3, 127, 128, 254, 255, 256, 257, 500, 999] {
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
    let cases = divisions(2).into_iter();
    for (images, kept) in cases.flat_map(|images| [1, 14, 15, 17].map(|kept| (images, kept))) {
        let report = report(images, "texts", || {
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
    for images in divisions(3) {
        let outcome = watched(images, "caught", || {
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
}

#[test]
fn a_team_finds_it_before_it_ends() {
    // Of the team, all on one machine, or each on a node of its own.
    for images in divisions(4) {
        in_a_team(images);
    }
}

fn in_a_team(images: Images) {
    let report = report(images, "a team", || {
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

/// Each image waits for the post of another one, which posts nothing to it.
#[test]
fn images_that_wait_for_posts_of_each_other_are_told_apart() {
    for images in [2, 3, 8].into_iter().flat_map(divisions) {
        let report = report(images, "a root each", || {
            eager().co_broadcast(&mut [1_u64; 20], (this_image() + 1) % num_images());
        });
        for (_, call) in parse(&report) {
            assert!(
                call.starts_with("co_broadcast of 20 x u64 from image "),
                "{report}"
            );
        }
    }
}

/// The places of posts in the memory of a team that is gone belong to the next one, whose first posts look the same.
#[test]
fn posts_of_a_team_are_not_taken_for_those_of_the_one_before() {
    for images in divisions(4) {
        let outcome = watched(images, "teams", || {
            for round in 0..20u64 {
                let mine = this_image() as u64;
                Team::form(mine % 2).change(|| {
                    for number in 0..3 {
                        let mut value = 100 * round + number;
                        eager().co_sum(&mut value);
                        assert_eq!(value, 2 * (100 * round + number));
                    }
                });
            }
        });
        assert!(outcome.is_ok(), "{outcome:?}");
    }
}

/// Between nodes a post lies where an older one lay: what came before it tells them apart.
#[test]
fn a_post_from_another_node_is_not_read_after_one_that_differs() {
    let images = Images { count: 2, nodes: 2 };
    let has_read = AtomicBool::new(false);
    let report = report(images, "after another", || {
        eager().co_broadcast(&mut 1u8, this_image());
        eager().co_broadcast(&mut 1u64, 0);
        has_read.fetch_or(this_image() == 1, Ordering::Relaxed);
    });
    let roots = parse(&report).map(|(_, call)| call.starts_with("co_broadcast of u8 from image "));
    assert_eq!(roots, [true; 2], "{report}");
    assert!(!has_read.into_inner(), "{report}");
}
