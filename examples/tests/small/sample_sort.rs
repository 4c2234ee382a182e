//! Whether keys are sorted.

use crate::on_all_images;
use program::random;
use testing::programs::{assert_prints_help_once, assert_refuses, line, printed_on};

/// The checksum of the keys, sorted by one image.
fn checksum(keys: u64, distinct: Option<u64>) -> String {
    let key = |number| {
        let bits = random::bits(1, number);
        distinct.map_or(bits, |distinct| bits % distinct)
    };
    let mut sorted: Vec<u64> = (0..keys).map(key).collect();
    sorted.sort_unstable();
    let values = (0..)
        .zip(sorted)
        .map(|(number, key)| random::bits(number, key));
    format!("{:016x}", values.fold(0, u64::wrapping_add))
}

/// The largest share of the keys that an image has at the end, in units of the average.
fn balance(printed: &str) -> f64 {
    let (_, times) = line(printed, "balance").rsplit_once("image, ").unwrap();
    times.split_once(' ').unwrap().0.parse().unwrap()
}

#[test]
fn keys_are_sorted_on_any_number_of_images() {
    // With few distinct keys, with equal keys only, and with fewer keys than images.
    let cases = [
        (20_011, None),
        (20_011, Some(3)),
        (20_011, Some(1)),
        (5, None),
        (5, Some(2)),
        (1, None),
    ];
    for (keys, distinct) in cases {
        let expected = checksum(keys, distinct);
        let mut words = vec!["--keys".to_owned(), keys.to_string()];
        if let Some(distinct) = distinct {
            words.extend(["--distinct".to_owned(), distinct.to_string()]);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        on_all_images(|fabric, images| {
            for extra in [&[][..], &["--uneven"]] {
                let arguments = [&words, extra].concat();
                let printed = printed_on(fabric, images, "sample_sort", &arguments);
                let case = format!("{arguments:?} on {images} images as {fabric}: {printed}");
                assert_eq!(line(&printed, "checksum"), expected, "{case}");
                assert!(
                    line(&printed, "keys").ends_with("the same as before"),
                    "{case}"
                );
                // Each image and each end of a part adds less than a sample stands for, which is 1/32 of the average.
                let most = 1.0 + (images + 2) as f64 / 32.0 + 0.01;
                assert!(keys < 1000 || balance(&printed) <= most, "{case}");
            }
        });
    }
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 5] = [
        (&["--keys", "0"], "--keys 0: expected a number from 1 to"),
        (
            &["--distinct", "0"],
            "--distinct 0: expected a number from 1 to",
        ),
        (&["--uneven=yes"], "option --uneven takes no value"),
        (&["--seed", "x"], "--seed x: expected a number"),
        (&["keys.txt"], "unknown option 'keys.txt'"),
    ];
    assert_refuses("sample_sort", &cases);
    assert_prints_help_once("sample_sort");
}
