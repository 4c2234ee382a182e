//! Command lines of kernels: numbers in a fixed order, as the Parallel Research Kernels take them.

use std::ops::RangeInclusive;

use coarray::num_images;
use program::command_line::{Value, follow, refuse};
use thiserror::Error;

/// A kernel's command line.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// What it is called.
    pub name: &'static str,
    /// What it does, for `--help`.
    pub about: &'static str,
    /// What it takes, in this order.
    pub parameters: &'static [Parameter],
}

/// One number of a command line.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// What it is called.
    pub name: &'static str,
    /// What it says, for `--help`.
    pub meaning: &'static str,
    /// What it may be.
    pub allowed: (usize, usize),
    /// What it is if it is not given; those after it have a default, too.
    pub default: Option<usize>,
}

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum ArgumentError {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("there is one argument too many, '{0}'")]
    TooMany(String),
    #[error("{name} '{value}': expected a number from {} to {}", allowed.start(), allowed.end())]
    BadValue {
        name: &'static str,
        value: String,
        allowed: RangeInclusive<usize>,
    },
}

impl Program {
    /// The parameters of this run; none if only help was wanted, which then has been printed.
    ///
    /// If one is missing or wrong, the job ends and says so.
    #[must_use]
    pub fn arguments<const N: usize>(&self) -> Option<[usize; N]> {
        let mut words = Vec::new();
        let goes_on = follow(&self.help(), |word, _| {
            let Value(word) = word else {
                return Err(word.unexpected());
            };
            words.push(word.to_string_lossy().into_owned());
            Ok(())
        });
        let refuse = |error| refuse(format_args!("{error}\n{}", self.usage()));
        goes_on.then(|| self.parse(&words).unwrap_or_else(refuse))
    }

    /// Refuses to share so few `things` that an image would have less than `least` of them.
    pub fn need(&self, least: usize, things: &str, total: usize) {
        let images = num_images();
        if total / images < least {
            refuse(format_args!(
                "{images} images cannot share {total} {things}, for each needs at least {least}; start at most {} images, \
                 or make the problem larger",
                (total / least).max(1)
            ));
        }
    }

    fn parse<const N: usize>(&self, words: &[String]) -> Result<[usize; N], ArgumentError> {
        assert_eq!(N, self.parameters.len(), "one value for each parameter");
        if let Some(extra) = words.get(N) {
            return Err(ArgumentError::TooMany(extra.clone()));
        }
        let mut values = [0; N];
        for (index, (value, parameter)) in values.iter_mut().zip(self.parameters).enumerate() {
            *value = match words.get(index) {
                Some(word) => parameter.parse(word)?,
                None => parameter
                    .default
                    .ok_or(ArgumentError::Missing(parameter.name))?,
            };
        }
        Ok(values)
    }

    fn usage(&self) -> String {
        let mut usage = format!("usage: {}", self.name);
        for parameter in self.parameters {
            usage += &match parameter.default {
                None => format!(" {}", parameter.name),
                Some(_) => format!(" [{}]", parameter.name),
            };
        }
        usage
    }

    fn help(&self) -> String {
        let mut help = format!("{}\n\n{}\n", self.about, self.usage());
        for parameter in self.parameters {
            help += &format!("\n  {:<14}  {}", parameter.name, parameter.meaning);
            if let Some(default) = parameter.default {
                help += &format!(" (default: {default})");
            }
        }
        help + "\n\nImages: one for each core, or COARRAY_IMAGES=N."
    }
}

impl Parameter {
    /// A number that has to be given.
    pub const fn new(name: &'static str, meaning: &'static str, allowed: (usize, usize)) -> Self {
        Self {
            name,
            meaning,
            allowed,
            default: None,
        }
    }

    /// The same with a default.
    pub const fn or(self, default: usize) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    fn parse(&self, word: &str) -> Result<usize, ArgumentError> {
        let allowed = self.allowed.0..=self.allowed.1;
        match word.parse() {
            Ok(value) if allowed.contains(&value) => Ok(value),
            _ => Err(ArgumentError::BadValue {
                name: self.name,
                value: word.to_owned(),
                allowed,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program = Program {
        name: "prk-test",
        about: "Tests.",
        parameters: &[
            Parameter::new("ITERATIONS", "how often", (1, 100)),
            Parameter::new("TILE", "how large", (0, 9)).or(4),
        ],
    };

    fn parse(line: &str) -> Result<[usize; 2], String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        PROGRAM.parse(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_come_in_order() {
        assert_eq!(parse("7 2"), Ok([7, 2]));
        assert_eq!(parse("7"), Ok([7, 4]));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (line, message) in [
            ("", "ITERATIONS is missing"),
            ("0 2", "ITERATIONS '0': expected a number from 1 to 100"),
            ("7 -2", "TILE '-2': expected a number from 0 to 9"),
            ("7 2 3", "there is one argument too many, '3'"),
        ] {
            assert_eq!(parse(line), Err(message.to_owned()));
        }
    }

    #[test]
    fn help_names_everything() {
        let help = PROGRAM.help();
        assert!(help.contains("usage: prk-test ITERATIONS [TILE]"), "{help}");
        assert!(help.contains("how large (default: 4)"), "{help}");
    }
}
