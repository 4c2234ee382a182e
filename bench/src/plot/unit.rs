//! How numbers are written along an axis.

/// What the numbers of an axis are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `64 KiB`
    Bytes,
    /// `1.2 µs`
    Nanoseconds,
    /// `20 GB/s`
    BytesPerSecond,
    /// `1 048 576`
    Count,
    /// `1.2x`
    Times,
    /// A number of these.
    Rate(&'static str),
}

/// Between groups of three digits: narrow, and no line ends there.
const THIN_SPACE: char = '\u{202f}';

/// Larger counts are said as powers of ten.
const LARGEST_WRITTEN: f64 = 1e8;

const DECIMAL: [&str; 6] = ["", "k", "M", "G", "T", "P"];
const BINARY: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

impl Unit {
    /// The number as people say it, with three digits or as many as an integer needs.
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Bytes => scaled(value, 1024.0, &BINARY, |number, prefix| {
                format!("{number} {prefix}")
            }),
            Self::Nanoseconds => nanoseconds(value),
            Self::BytesPerSecond => scaled(value, 1000.0, &DECIMAL, |number, prefix| {
                format!("{number} {prefix}B/s")
            }),
            Self::Count => count(value),
            Self::Times => format!("{}x", digits(value)),
            Self::Rate(unit) => format!("{} {unit}", count(value)),
        }
    }

    /// Whether its steps are powers of two.
    pub(super) fn is_binary(self) -> bool {
        self == Self::Bytes
    }
}

fn scaled(
    value: f64,
    step: f64,
    prefixes: &[&'static str],
    write: impl Fn(String, &str) -> String,
) -> String {
    let mut rest = value;
    let mut prefixes = prefixes.iter();
    let mut prefix = prefixes.next();
    // Half a thousandth less than a step is a step when rounded to three digits.
    while rest.abs() >= step * 0.9995 {
        match prefixes.next() {
            Some(next) => (rest, prefix) = (rest / step, Some(next)),
            None => break,
        }
    }
    write(digits(rest), prefix.copied().unwrap_or_default())
}

fn nanoseconds(value: f64) -> String {
    let (number, unit) = match value.abs() {
        small if small < 999.5 => (value, "ns"),
        small if small < 999.5e3 => (value / 1e3, "µs"),
        small if small < 999.5e6 => (value / 1e6, "ms"),
        _ => (value / 1e9, "s"),
    };
    format!("{} {unit}", digits(number))
}

fn count(value: f64) -> String {
    if value.abs() >= LARGEST_WRITTEN || (value != 0.0 && value.abs() < 1e-3) {
        let exponent = value.abs().log10().floor();
        let mantissa = digits(value / 10f64.powf(exponent));
        let power = superscript(exponent as i32);
        return match mantissa.as_str() {
            "1" => format!("10{power}"),
            _ => format!("{mantissa}·10{power}"),
        };
    }
    if value.abs() < 999.5 {
        return digits(value);
    }
    grouped(&format!("{:.0}", value))
}

fn grouped(number: &str) -> String {
    let length = number.chars().count();
    let mut text = String::new();
    for (index, digit) in number.chars().enumerate() {
        if index > 0 && (length - index).is_multiple_of(3) && !text.ends_with('-') {
            text.push(THIN_SPACE);
        }
        text.push(digit);
    }
    text
}

fn superscript(number: i32) -> String {
    let raised = |character| match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32('⁴' as u32 + character as u32 - '4' as u32).unwrap_or('⁹'),
        _ => '⁰',
    };
    number.to_string().chars().map(raised).collect()
}

/// At most three digits behind which nothing is lost, without zeros at the end.
fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        large if large >= 99.95 => 0,
        medium if medium >= 9.995 => 1,
        small if small >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_say_them() {
        for (unit, value, written) in [
            (Unit::Bytes, 8.0, "8 B"),
            (Unit::Bytes, 65536.0, "64 KiB"),
            (Unit::Bytes, 1048576.0, "1 MiB"),
            (Unit::Nanoseconds, 0.5, "0.5 ns"),
            (Unit::Nanoseconds, 1200.0, "1.2 µs"),
            (Unit::Nanoseconds, 999.7, "1 µs"),
            (Unit::Nanoseconds, 2e7, "20 ms"),
            (Unit::Nanoseconds, 3e9, "3 s"),
            (Unit::BytesPerSecond, 2e10, "20 GB/s"),
            (Unit::BytesPerSecond, 1.5e6, "1.5 MB/s"),
            (Unit::Count, 0.0, "0"),
            (Unit::Count, 32.0, "32"),
            (Unit::Count, 1_048_576.0, "1\u{202f}048\u{202f}576"),
            (Unit::Count, 1e12, "10¹²"),
            (Unit::Count, 2.5e10, "2.5·10¹⁰"),
            (Unit::Times, 1.2, "1.2x"),
            (Unit::Times, 10.0, "10x"),
            (Unit::Rate("MFlops/s"), 20500.0, "20\u{202f}500 MFlops/s"),
        ] {
            assert_eq!(unit.format(value), written);
        }
    }
}
