//! Numbers sorted into bins of equal width.

use crate::plots::Bar;

/// Bins from `start` on.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Where the first bin begins.
    pub start: f64,
    /// Width of a bin.
    pub width: f64,
    /// Weight of each bin.
    pub weights: Vec<f64>,
}

impl Histogram {
    /// Empty bins.
    pub fn new(start: f64, width: f64, bins: usize) -> Self {
        Self {
            start,
            width,
            weights: vec![0.0; bins],
        }
    }

    /// The histogram of `values`: about `bins` bins of a round width, from 0 to beyond the largest value.
    pub fn of(values: &[f64], bins: usize) -> Self {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let width = readable(largest / bins as f64).max(1.0);
        let mut histogram = Self::new(0.0, width, (largest / width) as usize + 1);
        for &value in values {
            histogram.add(value, 1.0);
        }
        histogram
    }

    /// Adds to the bin of a value; values beyond the bins go to the nearest bin.
    pub fn add(&mut self, value: f64, weight: f64) {
        let bin = ((value - self.start) / self.width).max(0.0) as usize;
        let last = self.weights.len() - 1;
        self.weights[bin.min(last)] += weight;
    }

    /// Weight of all bins together.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Where a bin begins and ends.
    pub fn edges(&self, bin: usize) -> (f64, f64) {
        let start = self.start + bin as f64 * self.width;
        (start, start + self.width)
    }

    /// Where the last bin ends.
    pub fn end(&self) -> f64 {
        self.edges(self.weights.len() - 1).1
    }

    /// As bars of a plot.
    pub fn bars(&self) -> Vec<Bar> {
        let bar = |(bin, &height): (usize, &f64)| {
            let (start, end) = self.edges(bin);
            Bar {
                place: start..end,
                height,
                label: String::new(),
            }
        };
        self.weights.iter().enumerate().map(bar).collect()
    }

    /// As the corners of steps.
    pub fn steps(&self) -> Vec<(f64, f64)> {
        let corners = |(bin, &weight): (usize, &f64)| {
            let (start, end) = self.edges(bin);
            [(start, weight), (end, weight)]
        };
        self.weights.iter().enumerate().flat_map(corners).collect()
    }

    /// The histogram as a density, whose integral is 1.
    pub fn densities(&self) -> Self {
        let scale = 1.0 / (self.total() * self.width);
        Self {
            weights: self.weights.iter().map(|weight| weight * scale).collect(),
            ..*self
        }
    }
}

/// The least of the numbers ..., 0.5, 1, 2, 5, 10, 20, ... that is not below `least`.
fn readable(least: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|&width| width >= least)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_what_belongs_to_them() {
        let histogram = Histogram::of(&[0.0, 1.0, 9.9, 10.0, 70.0], 10);
        assert_eq!(histogram.width, 10.0);
        assert_eq!(histogram.weights, [3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!((histogram.edges(7), histogram.end()), ((70.0, 80.0), 80.0));
        let densities = histogram.densities();
        assert!((densities.weights[0] - 0.06).abs() < 1e-12);
    }

    #[test]
    fn widths_read_well() {
        for (least, width) in [
            (0.7, 1.0),
            (1.0, 1.0),
            (1.1, 2.0),
            (450.0, 500.0),
            (501.0, 1000.0),
        ] {
            assert_eq!(readable(least), width);
        }
        assert_eq!(Histogram::of(&[], 5).weights, [0.0]);
    }
}
