//! What the environment asks for: `COARRAY_IMAGES`, `COARRAY_HEAP`, `COARRAY_FABRIC`, `COARRAY_BIND`,
//! `COARRAY_LABEL`.

use std::fmt;
use std::str::FromStr;

use crate::control::MAX_IMAGES;
use crate::memory;

/// The engine that carries the images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FabricKind {
    /// Each image is a process; heaps lie in shared memory. The default.
    #[default]
    Processes,
    /// Each image is a thread of one process.
    Threads,
}

/// Where images run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bind {
    /// Wherever the operating system puts them.
    #[default]
    None,
    /// Image `i` on the `i`-th usable core, round robin.
    Core,
}

/// How a job is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Number of images.
    pub images: usize,
    /// Bytes of heap to reserve for each image.
    pub heap: usize,
    /// The engine.
    pub fabric: FabricKind,
    /// Where images run.
    pub bind: Bind,
    /// Whether each line of output starts with the number of its image.
    pub label: bool,
    /// Whether corefs may use loads and stores. Off, every access takes the way of a network: for tests.
    pub direct: bool,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}={value}: {expected}")]
pub struct SettingError {
    name: &'static str,
    value: String,
    expected: String,
}

impl Settings {
    /// Settings for `images` images, all else as the environment says.
    ///
    /// # Errors
    /// If a variable holds something that its setting does not allow.
    pub fn with_images(images: usize) -> Result<Self, SettingError> {
        if !(1..=MAX_IMAGES).contains(&images) {
            return Err(SettingError {
                name: "images",
                value: images.to_string(),
                expected: format!("the number of images must be between 1 and {MAX_IMAGES}"),
            });
        }
        Ok(Self {
            images,
            heap: variable("COARRAY_HEAP")?
                .map_or_else(|| default_heap(images), |Bytes(heap)| heap),
            fabric: variable("COARRAY_FABRIC")?.unwrap_or_default(),
            bind: variable("COARRAY_BIND")?.unwrap_or_default(),
            label: variable("COARRAY_LABEL")?.is_some_and(|Switch(on)| on),
            direct: variable("COARRAY_DIRECT")?.is_none_or(|Switch(on)| on),
        })
    }

    /// Everything from the environment; as many images as usable cores if it does not say.
    ///
    /// # Errors
    /// If a variable holds something that its setting does not allow.
    pub fn from_environment() -> Result<Self, SettingError> {
        let images = variable("COARRAY_IMAGES")?.map_or_else(cores, |ImageCount(images)| images);
        Self::with_images(images)
    }
}

/// Cores this process may use.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Three quarters of the memory, divided among the images, at least a mebibyte each.
fn default_heap(images: usize) -> usize {
    const UNKNOWN_MACHINE: usize = 4 << 30;
    let total = memory::memory().map_or(UNKNOWN_MACHINE, |memory| memory.total);
    (total / 4 * 3 / images).max(1 << 20)
}

fn variable<T: FromStr<Err = String>>(name: &'static str) -> Result<Option<T>, SettingError> {
    let Some(value) = std::env::var_os(name) else {
        return Ok(None);
    };
    let value = value.to_string_lossy().into_owned();
    match value.parse() {
        Ok(setting) => Ok(Some(setting)),
        Err(expected) => Err(SettingError {
            name,
            value,
            expected,
        }),
    }
}

/// A number of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageCount(
    /// 1 to [`MAX_IMAGES`].
    pub usize,
);

impl FromStr for ImageCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().parse() {
            Ok(images) if (1..=MAX_IMAGES).contains(&images) => Ok(Self(images)),
            _ => Err(format!(
                "expected a number of images between 1 and {MAX_IMAGES}"
            )),
        }
    }
}

impl FromStr for FabricKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "processes" => Ok(Self::Processes),
            "threads" => Ok(Self::Threads),
            _ => Err("expected `processes` or `threads`".into()),
        }
    }
}

impl FromStr for Bind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "core" => Ok(Self::Core),
            _ => Err("expected `none` or `core`".into()),
        }
    }
}

struct Switch(bool);

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "1" => Ok(Self(true)),
            "0" | "" => Ok(Self(false)),
            _ => Err("expected 1 or 0".into()),
        }
    }
}

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

    #[test]
    fn image_counts_are_positive() {
        assert_eq!("7".parse(), Ok(ImageCount(7)));
        for wrong in ["0", "-3", "many", "1048577", ""] {
            assert!(wrong.parse::<ImageCount>().is_err(), "{wrong}");
        }
    }
}
