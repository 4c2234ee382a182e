//! Sizes as people write them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, written `4G`, `512M`, `64K` or plain, in powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(
    /// The number of bytes.
    pub usize,
);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a size such as 4G, 512M, 64K or a number of bytes".to_owned();
        let text = text.trim();
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            "T" | "TB" | "TIB" => 40,
            _ => return Err(expected()),
        };
        let number: usize = digits.trim_end().parse().map_err(|_| expected())?;
        number
            .checked_mul(1 << shift)
            .filter(|&bytes| bytes > 0)
            .map(Self)
            .ok_or_else(expected)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(usize, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        match UNITS.into_iter().find(|&(shift, _)| self.0 >> shift > 0) {
            Some((shift, unit)) => write!(
                formatter,
                "{:.1} {unit}",
                self.0 as f64 / (1u64 << shift) as f64
            ),
            None => write!(formatter, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!("4G".parse(), Ok(Bytes(4 << 30)));
        assert_eq!("64 kib".parse(), Ok(Bytes(64 << 10)));
        assert_eq!("123".parse(), Ok(Bytes(123)));
        for wrong in ["", "G", "0", "-1", "4X", "1.5G", "99999999999T"] {
            assert!(wrong.parse::<Bytes>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_shown_in_the_largest_fitting_unit() {
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (3 << 19, "1.5 MiB"),
            (4 << 30, "4.0 GiB"),
            (5 << 40, "5.0 TiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), shown);
        }
    }
}
