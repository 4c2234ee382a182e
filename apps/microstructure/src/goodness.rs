//! How well counts agree with a theory: Pearson's chi-square test.

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The sum of the squared differences, each divided by what was expected.
    pub statistic: f64,
    /// How many of the counts are independent.
    pub degrees_of_freedom: usize,
}

/// The fewest that must be expected of a count to compare it alone; else it is added to its neighbours.
const FEWEST: f64 = 5.0;

impl ChiSquare {
    /// Compares counts with what was expected; both have the same sum.
    ///
    /// # Panics
    /// If there is not one expectation for each count.
    pub fn of(counts: &[u64], expected: &[f64]) -> Self {
        assert_eq!(counts.len(), expected.len());
        let mut groups: Vec<(f64, f64)> = Vec::new();
        let mut open = (0.0, 0.0);
        for (&count, &expected) in counts.iter().zip(expected) {
            open = (open.0 + count as f64, open.1 + expected);
            if open.1 >= FEWEST {
                groups.push(std::mem::take(&mut open));
            }
        }
        match groups.last_mut() {
            Some(last) => *last = (last.0 + open.0, last.1 + open.1),
            None => groups.push(open),
        }
        let part = |&(count, expected): &(f64, f64)| (count - expected).powi(2) / expected;
        Self {
            statistic: groups.iter().map(part).sum(),
            degrees_of_freedom: groups.len() - 1,
        }
    }

    /// The probability that counts which follow the theory differ from it at least as much as these; 1 without degrees
    /// of freedom.
    pub fn probability(&self) -> f64 {
        if self.degrees_of_freedom == 0 {
            return 1.0;
        }
        upper_gamma(self.degrees_of_freedom as f64 / 2.0, self.statistic / 2.0)
    }
}

/// The regularised upper incomplete gamma function Q(a, x).
///
/// By the series and the continued fraction of M. Abramowitz and I. A. Stegun, *Handbook of mathematical functions*,
/// 6.5.29 and 6.5.31, the latter evaluated as W. J. Lentz, Appl. Opt. 15, 1976, does.
fn upper_gamma(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const ENOUGH: usize = 10_000;
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - log_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..ENOUGH {
            term *= x / (a + n as f64);
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return 1.0 - front * sum;
    }
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / TINY, 1.0 / b);
    let mut fraction = d;
    for n in 1..ENOUGH {
        let n = n as f64;
        let numerator = n * (a - n);
        b += 2.0;
        let away = |x: f64| if x.abs() < TINY { TINY } else { x };
        d = 1.0 / away(numerator * d + b);
        c = away(b + numerator / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() < 4.0 * f64::EPSILON {
            break;
        }
    }
    front * fraction
}

/// The logarithm of the gamma function of a positive number: Stirling's series, Abramowitz and Stegun 6.1.41.
fn log_gamma(x: f64) -> f64 {
    // The series is good from here on; below, Γ(x) = Γ(x + 1) / x leads there.
    if x < 10.0 {
        return log_gamma(x + 1.0) - x.ln();
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_tables() {
        // Upper percentage points of chi-square: Abramowitz and Stegun, table 26.8.
        for (degrees_of_freedom, statistic, probability) in [
            (1, 3.84146, 0.05),
            (2, 9.21034, 0.01),
            (5, 0.554300, 0.99),
            (10, 18.3070, 0.05),
            (30, 50.8922, 0.01),
            (60, 59.3347, 0.5),
            (100, 149.449, 0.001),
        ] {
            let test = ChiSquare {
                statistic,
                degrees_of_freedom,
            };
            let found = test.probability();
            assert!((found - probability).abs() < 2e-5, "{test:?}: {found}");
        }
    }

    #[test]
    fn rare_counts_are_put_together() {
        let expected = [1.0, 2.0, 2.0, 6.0, 20.0, 1.0];
        let test = ChiSquare::of(&[1, 2, 2, 6, 21, 0], &expected);
        // Of 5, 6 and 21.
        assert_eq!(test.degrees_of_freedom, 2);
        assert_eq!(test.statistic, 0.0);
        assert_eq!(test.probability(), 1.0);
        let other = ChiSquare::of(&[5, 3, 2, 10, 11, 1], &expected);
        assert_eq!(other.statistic, 25.0 / 5.0 + 16.0 / 6.0 + 81.0 / 21.0);
    }

    #[test]
    fn what_does_not_fit_is_found() {
        let expected = [100.0; 20];
        let mut counts = [100; 20];
        (counts[3], counts[4]) = (150, 50);
        assert!(ChiSquare::of(&counts, &expected).probability() < 1e-3);
    }
}
