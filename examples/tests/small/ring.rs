//! Where the token has been.

use crate::on_all_images;
use testing::programs::{assert_prints_help_once, assert_refuses, line, number, printed_on};

#[test]
fn the_token_has_been_everywhere_in_each_lap() {
    on_all_images(|fabric, images| {
        for words in ["1", "1000"] {
            let arguments = ["--laps", "150", "--words", words];
            let printed = printed_on(fabric, images, "ring", &arguments);
            assert_eq!(line(&printed, "laps"), format!("150 round {images} images"));
            let hops = 150 * images;
            assert_eq!(
                line(&printed, "token"),
                format!("{hops} in each of {words} words")
            );
            assert!(number(&printed, "time per hop") > 0.0);
        }
    });
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 5] = [
        (&["--laps", "0"], "--laps 0: expected a number from 1 to"),
        (&["--laps"], "option --laps needs a value"),
        (
            &["--words", "1048577"],
            "--words 1048577: expected a number from 1 to 1048576",
        ),
        (&["--words=many"], "--words many"),
        (&["round"], "unknown option 'round'"),
    ];
    assert_refuses("ring", &cases);
    assert_prints_help_once("ring");
}
