//! The output of the pipeline.

use crate::on_all_images;
use program::random;
use testing::programs::{assert_prints_help_once, assert_refuses, line, number, printed_on};

/// The root mean squares of the signal before and after the filters.
fn root_mean_squares(samples: u64, filters: usize) -> [f64; 2] {
    let mut outputs = vec![0.0; filters];
    let mut sums = [0.0, 0.0];
    for time in 0..samples {
        let noise = random::bits(1, time) as f64 / u64::MAX as f64 - 0.5;
        let mut sample = (time as f64 / 1000.0).sin() + noise;
        sums[0] += sample * sample;
        for output in &mut outputs {
            *output += 0.1 * (sample - *output);
            sample = *output;
        }
        sums[1] += sample * sample;
    }
    sums.map(|sum| (sum / samples as f64).sqrt())
}

#[test]
fn the_signal_is_filtered_as_by_one_image() {
    // With fewer filters than images, and fewer blocks than slots or than images.
    for (blocks, filters, slots) in [(100, 24, 4), (60, 3, 1), (1, 9, 4), (41, 10, 100)] {
        let [before, after] = root_mean_squares(256 * blocks as u64, filters);
        let words = [blocks, filters, slots].map(|number| number.to_string());
        let arguments = [
            "--blocks",
            &words[0],
            "--filters",
            &words[1],
            "--slots",
            &words[2],
        ];
        on_all_images(|fabric, images| {
            let printed = printed_on(fabric, images, "pipeline", &arguments);
            let signal: Vec<&str> = line(&printed, "signal").split(' ').collect();
            // The program adds the squares up block by block.
            for (word, expected) in [(signal[0], before), (signal[2], after)] {
                let found: f64 = word.parse().unwrap();
                assert!((found - expected).abs() < 2e-9, "{printed}, not {expected}");
            }
            // Each image works on one block, and each but the first has room for `slots` more.
            let most = blocks.min(images + (images - 1) * slots);
            let under_way = number(&printed, "under way");
            assert!(
                (1.0..=most as f64).contains(&under_way),
                "{images}: {printed}"
            );
        });
    }
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["--blocks", "0"],
            "--blocks 0: expected a number from 1 to",
        ),
        (&["--filters", "1048577"], "--filters 1048577"),
        (&["--slots", "none"], "--slots none"),
        (&["--slot", "1"], "unknown option '--slot'"),
    ];
    assert_refuses("pipeline", &cases);
    assert_prints_help_once("pipeline");
}
