//! Random permutations; the program itself checks that they are permutations.

use crate::on_all_images;
use testing::programs::{assert_prints_help_once, assert_refuses, line, number, printed_on};

#[test]
fn each_number_is_there_once() {
    for numbers in ["1", "5", "20000"] {
        on_all_images(|fabric, images| {
            let printed = printed_on(fabric, images, "permutation", &["--numbers", numbers]);
            assert_eq!(
                line(&printed, "numbers"),
                format!("{numbers}, each of them once")
            );
            assert!(line(&printed, "rate").ends_with(" Mnumber/s"));
        });
    }
}

#[test]
fn darts_hit_as_often_as_half_a_board_lets_them() {
    let printed = printed_on("processes", 3, "permutation", &["--numbers", "100000"]);
    // From an empty board to one half full: 2 ln 2.
    let throws = number(&printed, "throws");
    assert!((1.36..1.41).contains(&throws), "{printed}");
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 2] = [
        (
            &["--numbers", "0"],
            "--numbers 0: expected a number from 1 to",
        ),
        (&["10"], "unknown option '10'"),
    ];
    assert_refuses("permutation", &cases);
    assert_prints_help_once("permutation");
}
