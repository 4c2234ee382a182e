//! Numbers sorted into bins of equal width.

use crate::plots::Bar;

/// Bins from `start` on.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Where the first bin begins.
    pub start: f64,
    /// From where a bin begins to where the next does.
    pub width: f64,
    /// What each bin weighs.
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

    /// Bins of a width that reads well, about `bins` of them, from 0 to beyond the largest of `values`, which are put in.
    pub fn of(values: &[f64], bins: usize) -> Self {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let width = readable(largest / bins as f64).max(1.0);
        let mut histogram = Self::new(0.0, width, (largest / width) as usize + 1);
        for &value in values {
            histogram.add(value, 1.0);
        }
        histogram
    }

    /// Adds to the bin of a value; what is beyond the bins is put into the nearest.
    pub fn add(&mut self, value: f64, weight: f64) {
        let bin = ((value - self.start) / self.width).max(0.0) as usize;
        let last = self.weights.len() - 1;
        self.weights[bin.min(last)] += weight;
    }

    /// What all bins weigh together.
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

    /// The same, in shares of the total for one unit of the axis.
    pub fn densities(&self) -> Self {
        let scale = 1.0 / (self.total() * self.width);
        Self {
            weights: self.weights.iter().map(|weight| weight * scale).collect(),
            ..*self
        }
    }
}

/// The least of 1, 2, 5, 10, 20 and so on, or their tenths and so on, that is no less than a number.
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
