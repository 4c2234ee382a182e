//! Places, times, parts and numbers, as reports say them.

use std::fmt;

use coarray_runtime::Place;

/// A line of the program, as text.
pub(super) struct Spot<'a>(pub(super) &'a Place);

impl fmt::Display for Spot<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place {
            file,
            line,
            activity,
            ..
        } = self.0;
        match file.is_empty() {
            true => formatter.write_str(activity),
            false => write!(formatter, "{file}:{line} {activity}"),
        }
    }
}

/// A part, in percent.
pub(super) struct Percent(pub(super) f64);

impl fmt::Display for Percent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.0} %", 100.0 * self.0)
    }
}

/// A time in nanoseconds, with three digits.
pub(super) struct Time(pub(super) u64);

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "\u{b5}s"), (1.0, "ns")];
        let time = self.0 as f64;
        let large = UNITS.into_iter().find(|(unit, _)| time >= 0.9995 * unit);
        let (unit, name) = large.unwrap_or((1.0, "ns"));
        let value = time / unit;
        let digits = match value {
            _ if unit == 1.0 => 0,
            99.95.. => 0,
            9.995.. => 1,
            _ => 2,
        };
        write!(formatter, "{value:.digits$} {name}")
    }
}

/// A number, with two digits where it is large.
pub(super) struct Count(pub(super) u64);

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1_000_000.. => write!(formatter, "{:.1e}", self.0 as f64),
            number => write!(formatter, "{number}"),
        }
    }
}

/// A number of bytes, with three digits.
pub(super) struct Size(pub(super) u64);

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
        let bytes = self.0 as f64;
        match UNITS.into_iter().find(|(unit, _)| bytes >= 0.9995 * unit) {
            None => write!(formatter, "{} B", self.0),
            Some((unit, name)) => {
                let value = bytes / unit;
                let digits = match value {
                    99.95.. => 0,
                    9.995.. => 1,
                    _ => 2,
                };
                write!(formatter, "{value:.digits$} {name}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let texts = [
            0,
            999,
            1234,
            12_345,
            123_456,
            999_960,
            1_234_567_890,
            4_000_000_000_000,
        ]
        .map(|time| Time(time).to_string());
        let expected = [
            "0 ns", "999 ns", "1.23 µs", "12.3 µs", "123 µs", "1.00 ms", "1.23 s", "4000 s",
        ];
        assert_eq!(texts, expected);
    }
}
