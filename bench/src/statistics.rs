//! Statistics of samples.

/// Samples of a time, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    ascending: Vec<f64>,
}

impl Samples {
    /// Adds more samples.
    pub fn extend(&mut self, samples: impl IntoIterator<Item = f64>) {
        self.ascending.extend(samples);
        self.ascending.sort_by(f64::total_cmp);
    }

    /// The smallest; NaN if there are no samples, as for the others below.
    pub fn min(&self) -> f64 {
        self.ascending.first().copied().unwrap_or(f64::NAN)
    }

    /// The middle one, or the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        let count = self.ascending.len();
        if count == 0 {
            return f64::NAN;
        }
        (self.ascending[(count - 1) / 2] + self.ascending[count / 2]) / 2.0
    }

    /// The smallest that is not less than 99 of a hundred (nearest rank).
    pub fn p99(&self) -> f64 {
        self.not_less_than(99, 100)
    }

    /// The smallest that is not less than 999 of a thousand.
    pub fn p999(&self) -> f64 {
        self.not_less_than(999, 1000)
    }

    fn not_less_than(&self, part: usize, whole: usize) -> f64 {
        let rank = (self.ascending.len() * part).div_ceil(whole);
        match rank.checked_sub(1) {
            Some(index) => self.ascending[index],
            None => f64::NAN,
        }
    }

    /// The part of the samples that is less than `limit`; 0 if there are none.
    pub fn share_below(&self, limit: f64) -> f64 {
        let below = self.ascending.partition_point(|&sample| sample < limit);
        below as f64 / self.ascending.len().max(1) as f64
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(samples: I) -> Self {
        let mut all = Self::default();
        all.extend(samples);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        assert_eq!(Samples::from_iter([5.0, 1.0, 3.0]).median(), 3.0);
        assert_eq!(Samples::from_iter([9.0, 1.0, 3.0, 2.0]).median(), 2.5);
    }

    #[test]
    fn one_in_a_hundred_is_above_p99() {
        let samples: Samples = (1..=1000).rev().map(f64::from).collect();
        assert_eq!((samples.min(), samples.p99()), (1.0, 990.0));
        assert_eq!(samples.p999(), 999.0);
        assert_eq!(Samples::from_iter([7.0]).p99(), 7.0);
        assert_eq!((1..=5).map(f64::from).collect::<Samples>().p99(), 5.0);
    }

    #[test]
    fn what_is_below_a_limit_is_counted() {
        let samples = Samples::from_iter([4.0, 1.0, 2.0, 3.0]);
        assert_eq!(
            [1.0, 2.5, 9.0].map(|limit| samples.share_below(limit)),
            [0.0, 0.5, 1.0]
        );
    }

    #[test]
    fn rounds_are_merged() {
        let mut samples = Samples::from_iter([4.0, 6.0]);
        samples.extend([1.0, 5.0, 7.0]);
        assert_eq!((samples.min(), samples.median()), (1.0, 5.0));
    }

    #[test]
    fn nothing_is_said_of_no_samples() {
        let none = Samples::default();
        assert_eq!(none.share_below(1.0), 0.0);
        assert!(none.min().is_nan() && none.median().is_nan() && none.p99().is_nan());
    }
}
