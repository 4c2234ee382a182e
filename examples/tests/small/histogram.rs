//! How fast molecules are.

use crate::on_all_images;
use program::random;
use testing::programs::{
    assert_prints_help_once, assert_refuses, line, number, printed_on, written,
};

/// How many molecules are in each bin.
fn counts(molecules: u64, bins: usize) -> Vec<u64> {
    let mut counts = vec![0; bins];
    for molecule in 0..molecules {
        let share = ((random::bits(1, molecule) >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let speed = (-2.0 * share.ln()).sqrt();
        counts[((speed / 5.0 * bins as f64) as usize).min(bins - 1)] += 1;
    }
    counts
}

/// How far the bins are from Maxwell's distribution.
fn chi_square(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let faster = |bin: usize| match bin {
        _ if bin == counts.len() => 0.0,
        _ => (-(bin as f64 * 5.0 / counts.len() as f64).powi(2) / 2.0).exp(),
    };
    let terms = counts.iter().enumerate().map(|(bin, &count)| {
        let expected = total * (faster(bin) - faster(bin + 1));
        (count as f64 - expected).powi(2) / expected
    });
    terms.sum()
}

#[test]
fn counts_are_those_of_one_image() {
    // With more bins than molecules, and with fewer bins than images.
    for (molecules, bins) in [(50_000, 40), (300, 1000), (10_000, 5), (3, 1)] {
        let expected = chi_square(&counts(molecules, bins));
        let (count, text) = (molecules.to_string(), bins.to_string());
        let arguments = ["--molecules", &count, "--bins", &text];
        on_all_images(|fabric, images| {
            let printed = printed_on(fabric, images, "histogram", &arguments);
            assert_eq!(
                line(&printed, "molecules"),
                format!("{molecules} in {bins} bins")
            );
            let freedom = format!("{expected:.2}, {} degrees of freedom", bins - 1);
            assert_eq!(line(&printed, "chi-square"), freedom);
            assert!(line(&printed, "rate of atomics").ends_with(" Mmolecule/s"));
            assert!(line(&printed, "rate of a conveyor").ends_with(" Mmolecule/s"));
        });
    }
}

#[test]
fn speeds_are_distributed_as_maxwell_says() {
    let printed = printed_on(
        "processes",
        4,
        "histogram",
        &["--molecules", "1000000", "--bins", "50"],
    );
    // 49 degrees of freedom: 6 standard deviations.
    assert!(
        (10.0..110.0).contains(&number(&printed, "chi-square")),
        "{printed}"
    );
    assert!(
        (number(&printed, "most frequent speed") - 1.0).abs() < 0.16,
        "{printed}"
    );
}

#[test]
fn plots_are_the_same_on_any_number_of_images() {
    let folder = tempfile::tempdir().unwrap();
    let plot = written(
        folder.path(),
        "histogram",
        "--plot",
        &["--molecules", "20000", "--bins", "30"],
    );
    let plot = String::from_utf8(plot).unwrap();
    assert!(
        plot.starts_with("<svg") && plot.contains("20000 molecules"),
        "{plot}"
    );
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["--molecules", "0"],
            "--molecules 0: expected a number from 1 to",
        ),
        (&["--bins", "0"], "--bins 0: expected a number from 1 to"),
        (&["--bins", "16777217"], "--bins 16777217"),
        (
            &["--plot", "/nowhere/at/all/h.svg"],
            "/nowhere/at/all/h.svg: cannot write",
        ),
        (&["h.svg"], "unknown option 'h.svg'"),
    ];
    assert_refuses("histogram", &cases);
    assert_prints_help_once("histogram");
}
