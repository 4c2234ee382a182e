//! The counts beside Maxwell's distribution.

use std::path::Path;

use program::histogram::Histogram;
use program::output::OutputError;
use program::plots::{Axis, Plot, Scale, Series, Shape};

use crate::HIGHEST;

/// Where there are more bins, each bar shows several.
const MOST_BARS: usize = 150;

/// The middle of the bin with the most molecules.
pub(crate) fn most_frequent(counts: &[u64]) -> f64 {
    let most = (0..counts.len()).max_by_key(|&bin| counts[bin]);
    (most.unwrap_or(0) as f64 + 0.5) * HIGHEST / counts.len() as f64
}

/// The sum of the squared differences, each divided by the expected count: about the number of bins.
pub(crate) fn chi_square(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let square = |(bin, &count): (usize, &u64)| {
        let expected = total * share_of(bin, counts.len());
        (count as f64 - expected).powi(2) / expected
    };
    counts.iter().enumerate().map(square).sum()
}

/// The share of all molecules that should be in a bin.
fn share_of(bin: usize, bins: usize) -> f64 {
    let faster_than = |bin: usize| (-(bin as f64 * HIGHEST / bins as f64).powi(2) / 2.0).exp();
    let beyond = if bin + 1 < bins {
        faster_than(bin + 1)
    } else {
        0.0
    };
    faster_than(bin) - beyond
}

/// Draws all bins, and Maxwell's distribution over them.
pub(crate) fn write(counts: &[u64], path: &Path) -> Result<(), OutputError> {
    let together = counts.len().div_ceil(MOST_BARS);
    let width = HIGHEST / counts.len() as f64 * together as f64;
    let bars = counts.chunks(together).map(|bins| bins.iter().sum::<u64>());
    let mut histogram = Histogram::new(0.0, width, 0);
    histogram.weights = bars.map(|count| count as f64).collect();
    let curve = (0..=200).map(|point| {
        let speed = f64::from(point) * HIGHEST / 200.0;
        (speed, speed * (-speed * speed / 2.0).exp())
    });
    let plot = Plot {
        title: "Speeds in a gas of two dimensions",
        subtitle: &format!(
            "{:.0} molecules, chi-square {:.1}, {} degrees of freedom",
            histogram.total(),
            chi_square(counts),
            counts.len() - 1
        ),
        x: Axis::plain("speed / most frequent speed", Scale::Linear),
        y: Axis::plain("probability density", Scale::FromZero),
        series: vec![
            Series {
                name: "counted",
                number: 5,
                shape: Shape::Bars(histogram.densities().bars()),
            },
            Series {
                name: "Maxwell",
                number: 1,
                shape: Shape::Line(curve.collect()),
            },
        ],
    };
    plot.write(path)
}
