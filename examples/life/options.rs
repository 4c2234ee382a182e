//! The command line of `life`.

use std::ffi::OsString;
use std::path::PathBuf;

use thiserror::Error;

/// What `life --help` prints.
pub const HELP: &str = "\
Conway's Game of Life on a torus that is divided among images.

usage: life [PATTERN.rle] [--size WxH] [--generations N] [--png FILE] [--frames DIR] [--quiet]

  PATTERN.rle       the pattern to start from, placed in the centre (default: the R-pentomino)
  --size WxH        width and height of the torus in cells (default: 2048x2048)
  --generations N   how many generations to compute (default: 1103, when the R-pentomino settles)
  --png FILE        write a picture of the last generation
  --frames DIR      write a picture of every generation, DIR/000000.png and so on
  --quiet           show no progress bar

It ends with the lines `generation: N`, `population: P` and `rate: R Mcell/s`.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N life ...`.
Patterns that come with it are in examples/patterns/.";

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The pattern's file; the R-pentomino if there is none.
    pub pattern: Option<PathBuf>,
    /// Columns of the torus.
    pub width: usize,
    /// Rows of the torus.
    pub height: usize,
    /// Generations to compute.
    pub generations: u64,
    /// Where to write a picture of the last generation.
    pub png: Option<PathBuf>,
    /// The directory for a picture of every generation.
    pub frames: Option<PathBuf>,
    /// No progress bar.
    pub quiet: bool,
    /// Only the help text is wanted.
    pub help: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pattern: None,
            width: 2048,
            height: 2048,
            generations: 1103,
            png: None,
            frames: None,
            quiet: false,
            help: false,
        }
    }
}

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// An option that there is not.
    #[error("unknown option '{0}'; life --help lists them all")]
    Unknown(String),
    /// An option at the end of the line that needs a value.
    #[error("option {0} needs a value")]
    MissingValue(String),
    /// A second pattern.
    #[error("only one pattern can be given, but there is also '{0}'")]
    SecondPattern(String),
    /// A value of the wrong form.
    #[error("{option} {value}: expected {expected}")]
    BadValue {
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
}

/// Longest side of a torus, so that the number of its cells is a number.
const MAX_SIDE: usize = 1 << 24;

impl Options {
    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    /// An [`OptionsError`] that says which word is wrong.
    ///
    /// # Examples
    /// ```
    /// use life::options::Options;
    ///
    /// let options = Options::parse(["--size", "64x32", "--quiet"].map(Into::into))?;
    /// assert_eq!((options.width, options.height, options.quiet), (64, 32, true));
    /// # Ok::<(), life::options::OptionsError>(())
    /// ```
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, OptionsError> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let word = argument.to_string_lossy().into_owned();
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => {
                    (name.to_owned(), Some(OsString::from(value)))
                }
                _ => (word.clone(), None),
            };
            let mut value = || {
                attached
                    .clone()
                    .or_else(|| arguments.next())
                    .ok_or(OptionsError::MissingValue(name.clone()))
            };
            match name.as_str() {
                "--size" => (options.width, options.height) = size(&value()?.to_string_lossy())?,
                "--generations" => options.generations = generations(&value()?.to_string_lossy())?,
                "--png" => options.png = Some(value()?.into()),
                "--frames" => options.frames = Some(value()?.into()),
                "--quiet" => options.quiet = true,
                "--help" | "-h" => options.help = true,
                _ if word.starts_with('-') => return Err(OptionsError::Unknown(word)),
                _ if options.pattern.is_some() => return Err(OptionsError::SecondPattern(word)),
                _ => options.pattern = Some(argument.into()),
            }
        }
        Ok(options)
    }
}

fn size(text: &str) -> Result<(usize, usize), OptionsError> {
    let side = |text: &str| {
        text.parse()
            .ok()
            .filter(|side| (1..=MAX_SIDE).contains(side))
    };
    text.split_once(['x', 'X'])
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| OptionsError::BadValue {
            option: "--size",
            value: text.to_owned(),
            expected: "WIDTHxHEIGHT in cells, such as 2048x1024, each 1 to 16777216",
        })
}

fn generations(text: &str) -> Result<u64, OptionsError> {
    text.parse().map_err(|_| OptionsError::BadValue {
        option: "--generations",
        value: text.to_owned(),
        expected: "a number",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(OsString::from))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn all_options_are_understood() {
        let expected = Options {
            pattern: Some("a.rle".into()),
            width: 40,
            height: 30,
            generations: 7,
            png: Some("a.png".into()),
            frames: Some("out".into()),
            quiet: true,
            help: false,
        };
        let line = "--size 40x30 a.rle --generations=7 --png a.png --frames=out --quiet";
        assert_eq!(parse(line), Ok(expected));
        assert_eq!(parse(""), Ok(Options::default()));
        assert!(parse("--help").unwrap().help);
    }

    #[test]
    fn errors_name_the_word_that_is_wrong() {
        for (line, word) in [
            ("--sise 3x3", "--sise"),
            ("--size", "--size"),
            ("--size 3", "3"),
            ("--size 0x3", "0x3"),
            ("--size 3x99999999999", "99999999999"),
            ("--generations -1", "-1"),
            ("a.rle b.rle", "b.rle"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(
                error.contains(word) && !error.contains('\n'),
                "{line}: {error}"
            );
        }
    }
}
