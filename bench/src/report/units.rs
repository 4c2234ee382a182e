//! Numbers for people.

/// A size in bytes; nothing for operations that have none.
pub fn size(bytes: usize) -> String {
    match bytes {
        0 => String::new(),
        1..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// A time.
pub fn time(nanoseconds: f64) -> String {
    let units = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6)];
    let fits = |&&(_, unit): &&(&str, f64)| nanoseconds / unit < 999.5;
    let (name, unit) = units.iter().find(fits).copied().unwrap_or(("s", 1e9));
    format!("{} {name}", digits(nanoseconds / unit))
}

/// A number of things, the largest ones rounded.
pub fn count(number: f64) -> String {
    if number < 1e7 {
        return format!("{number:.0}");
    }
    let exponent = number.log10().floor();
    format!("{}e{exponent}", digits(number / 10f64.powf(exponent)))
}

/// A speedup.
pub fn factor(factor: f64) -> String {
    format!("{}x", digits(factor))
}

/// A ratio of times, as a percentage if it is small.
pub fn share(ratio: f64) -> String {
    if ratio < 0.1 {
        format!("{:.1}%", ratio * 100.0)
    } else {
        format!("{ratio:.2}")
    }
}

/// A number with three significant digits, or all digits before the point.
pub fn digits(number: f64) -> String {
    match number {
        _ if number < 9.995 => format!("{number:.2}"),
        _ if number < 99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sizes_and_factors_have_units() {
        for (nanoseconds, shown) in [
            (1.25, "1.25 ns"),
            (12.34, "12.3 ns"),
            (123.4, "123 ns"),
            (999.7, "1.00 µs"),
            (12_345.0, "12.3 µs"),
            (2_500_000.0, "2.50 ms"),
            (3e9, "3.00 s"),
        ] {
            assert_eq!(time(nanoseconds), shown);
        }
        assert_eq!(
            [0, 8, 2048, 8 << 20].map(size),
            ["", "8 B", "2 KiB", "8 MiB"]
        );
        assert_eq!(
            [0.0, 1_048_576.0, 2.5e10].map(count),
            ["0", "1048576", "2.50e10"]
        );
        assert_eq!([0.00123, 0.5, 12.345].map(share), ["0.1%", "0.50", "12.35"]);
        assert_eq!(
            [0.567, 12.0, 1234.0].map(factor),
            ["0.57x", "12.0x", "1234x"]
        );
    }
}
