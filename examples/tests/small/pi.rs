//! How many points are in the circle.

use std::f64::consts::PI;

use crate::on_all_images;
use program::random;
use testing::programs::{
    assert_prints_help_once, assert_refuses, line, number, printed, printed_on,
};

/// How many points are in the quarter of a circle, by floating-point numbers.
fn inside(seed: u64, points: u64) -> usize {
    let fraction = |bits: u64| bits as f64 / 2f64.powi(32);
    let is_inside = |point: &u64| {
        let bits = random::bits(seed, *point);
        fraction(bits >> 32).hypot(fraction(bits & 0xffff_ffff)) < 1.0
    };
    (0..points).filter(is_inside).count()
}

#[test]
fn as_many_points_are_inside_on_any_number_of_images() {
    for (seed, points) in [(1, 1), (1, 5), (2, 100_003)] {
        let inside = inside(seed, points);
        let expected = format!("{points}, {inside} of them inside");
        let (seed, count) = (seed.to_string(), points.to_string());
        let arguments = ["--points", &count, "--seed", &seed];
        on_all_images(|fabric, images| {
            let printed = printed_on(fabric, images, "pi", &arguments);
            assert_eq!(line(&printed, "points"), expected);
            let found = 4.0 * inside as f64 / points as f64;
            assert_eq!(line(&printed, "pi"), format!("{found:.12}"));
            let error = format!("{:.3e}", (found - PI).abs());
            assert_eq!(line(&printed, "error"), error);
        });
    }
}

#[test]
fn errors_are_as_large_as_the_statistical_error_says() {
    let ratios = (1..=40).map(|seed: u32| {
        let seed = seed.to_string();
        let printed = printed(2, "pi", &["--points", "20000", "--seed", &seed]);
        let statistical = number(&printed, "statistical error");
        number(&printed, "error") / statistical
    });
    let mean_square = ratios.map(|ratio| ratio * ratio).sum::<f64>() / 40.0;
    // The mean of 40 squares of normal numbers: 1, with a standard deviation of 0.22.
    assert!((0.4..1.8).contains(&mean_square), "{mean_square}");
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["--points", "0"],
            "--points 0: expected a number from 1 to",
        ),
        (
            &["--points", "4503599627370497"],
            "--points 4503599627370497",
        ),
        (&["--seed", "-1"], "--seed -1: expected a number"),
        (&["3.14"], "unknown option '3.14'"),
    ];
    assert_refuses("pi", &cases);
    assert_prints_help_once("pi");
}
