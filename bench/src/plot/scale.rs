//! From values to places along an axis, and which of them get a tick.

use crate::plot::Axis;

/// Most ticks of an axis, and the fewest that say what its distances mean.
const MOST_TICKS: usize = 9;
const FEWEST_TICKS: usize = 3;

/// Free room beyond the data at each end, as a part of the axis.
const MARGIN: f64 = 0.04;

/// An axis with its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// The values that are written along it, from the lowest on.
    pub ticks: Vec<f64>,
}

impl Scale {
    /// For these values, of which there is at least one, all finite and, on a logarithmic axis, positive.
    /// One that `starts_at_zero`, if it is not logarithmic, shows 0 even where no value is near.
    pub fn new(axis: &Axis, values: &[f64], starts_at_zero: bool) -> Self {
        let mut low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let mut high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let logarithmic = axis.logarithmic;
        if logarithmic {
            if high / low < 1.5 {
                (low, high) = (low / 2.0, high * 2.0);
            }
            let margin = (high / low).powf(MARGIN);
            (low, high) = (low / margin, high * margin);
        } else {
            if starts_at_zero && low > 0.0 {
                low = 0.0;
            }
            if starts_at_zero && high < 0.0 {
                high = 0.0;
            }
            if high == low {
                (low, high) = (low - 0.5, high + 0.5);
            }
            let margin = MARGIN * (high - low);
            low -= if starts_at_zero && low == 0.0 {
                0.0
            } else {
                margin
            };
            high += margin;
        }
        let all_powers = values.iter().all(|&value| is_power_of_two(value));
        let ticks = match logarithmic {
            true if axis.unit.is_binary() || all_powers => powers_of_two(low, high),
            true => decades(low, high),
            false if axis.unit.is_binary() => equal_steps(low, high, &[1.0, 2.0, 4.0, 8.0], 16.0),
            false => equal_steps(low, high, &[1.0, 2.0, 2.5, 5.0], 10.0),
        };
        Self {
            low,
            high,
            logarithmic,
            ticks,
        }
    }

    /// Where the value is: 0 at the low end, 1 at the high one.
    pub fn place(&self, value: f64) -> f64 {
        if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// Where bars stand.
    pub fn ground(&self) -> f64 {
        if self.logarithmic {
            self.low
        } else {
            self.low.max(0.0).min(self.high)
        }
    }
}

fn is_power_of_two(value: f64) -> bool {
    value > 0.0 && value.log2().fract() == 0.0
}

/// Powers of two between the ends, each so many times the one before that there are not too many.
fn powers_of_two(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log2().ceil() as i32, high.log2().floor() as i32);
    if last <= first {
        return decades(low, high);
    }
    let step = (1..)
        .find(|step| (last - first) / step < MOST_TICKS as i32)
        .unwrap_or(1);
    let exponents = (first..=last).step_by(step as usize);
    exponents
        .map(|exponent| 2f64.powi(exponent))
        .filter(|tick| (low..=high).contains(tick))
        .collect()
}

/// Powers of ten between the ends, or, where these are too few, simple numbers between them.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let between = |mantissas: &[f64], step: usize| -> Vec<f64> {
        let exponents = (first..=last).filter(|exponent| exponent.rem_euclid(step as i32) == 0);
        let ticks = exponents.flat_map(|exponent| {
            let power = 10f64.powi(exponent);
            mantissas
                .iter()
                .map(move |mantissa| mantissa * power)
                .collect::<Vec<_>>()
        });
        ticks.filter(|tick| (low..=high).contains(tick)).collect()
    };
    for mantissas in [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0]] {
        let ticks = between(mantissas, 1);
        if ticks.len() >= FEWEST_TICKS && ticks.len() <= MOST_TICKS {
            return ticks;
        }
        if ticks.len() > MOST_TICKS {
            return (2..)
                .map(|step| between(&[1.0], step))
                .find(|ticks| ticks.len() <= MOST_TICKS)
                .unwrap_or_default();
        }
    }
    equal_steps(low, high, &[1.0, 2.0, 2.5, 5.0], 10.0)
}

/// Multiples of a simple number between the ends.
fn equal_steps(low: f64, high: f64, mantissas: &[f64], base: f64) -> Vec<f64> {
    let least = (high - low) / (MOST_TICKS - 1) as f64;
    let power = base.powf(least.log(base).floor());
    let candidates = mantissas.iter().map(|mantissa| mantissa * power);
    let step = candidates
        .chain([base * power])
        .find(|step| *step >= least * 0.999_999)
        .unwrap_or(base * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|tick| tick as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Unit;

    fn ticks(unit: Unit, logarithmic: bool, values: &[f64]) -> Vec<f64> {
        let axis = Axis {
            title: String::new(),
            unit,
            logarithmic,
        };
        Scale::new(&axis, values, true).ticks
    }

    #[test]
    fn ticks_are_simple_numbers() {
        assert_eq!(
            ticks(Unit::Bytes, true, &[8.0, 8388608.0]),
            (0..7)
                .map(|power| 8.0 * 8f64.powi(power))
                .collect::<Vec<_>>()
        );
        assert_eq!(
            ticks(Unit::Nanoseconds, true, &[30.0, 2e6]),
            [1e2, 1e3, 1e4, 1e5, 1e6]
        );
        assert_eq!(
            ticks(Unit::Nanoseconds, true, &[200.0, 700.0]),
            [200.0, 300.0, 400.0, 500.0, 600.0, 700.0]
        );
        assert_eq!(
            ticks(Unit::Count, true, &[1.0, 2.0, 4.0, 8.0]),
            [1.0, 2.0, 4.0, 8.0]
        );
        assert_eq!(
            ticks(Unit::Times, false, &[0.9, 3.9]),
            [0.0, 1.0, 2.0, 3.0, 4.0].map(|tick| tick)
        );
    }

    #[test]
    fn every_axis_has_a_few_ticks_and_room_for_all_values() {
        for logarithmic in [false, true] {
            for unit in [Unit::Bytes, Unit::Nanoseconds, Unit::Count] {
                for low in [1e-3, 0.7, 3.0, 1000.0, 12_345.0] {
                    for factor in [1.0, 1.01, 1.7, 3.0, 20.0, 1e3, 1e9] {
                        let axis = Axis {
                            title: String::new(),
                            unit,
                            logarithmic,
                        };
                        let values = [low, low * factor];
                        let scale = Scale::new(&axis, &values, true);
                        let count = scale.ticks.len();
                        assert!((2..=10).contains(&count), "{scale:?}");
                        assert!(scale.ticks.is_sorted());
                        let inside = |value| (0.0..=1.0).contains(&scale.place(value));
                        let all = values.iter().chain(&scale.ticks);
                        assert!(all.copied().all(inside), "{scale:?}");
                    }
                }
            }
        }
    }
}
