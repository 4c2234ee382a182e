//! The command line of `life`.

// Not all of it is needed here.
#[allow(dead_code)]
#[path = "../shared/arguments.rs"]
mod arguments;

use std::ffi::OsString;
use std::path::PathBuf;

use arguments::{ArgumentError, Arguments, extents};
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

/// A command line that cannot be followed. It prints as one line, with the word that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OptionsError(String);

impl From<ArgumentError> for OptionsError {
    fn from(error: ArgumentError) -> Self {
        Self(error.to_string())
    }
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
        let mut arguments = Arguments::new("life", arguments);
        while let Some(option) = arguments.next()? {
            match option.as_str() {
                "--size" => {
                    let expected = "WIDTHxHEIGHT in cells, such as 2048x1024, each 1 to 16777216";
                    let size = |text: &str| extents(text, MAX_SIDE)?.try_into().ok();
                    [options.width, options.height] = arguments.value_as(expected, size)?;
                }
                "--generations" => {
                    let number = |text: &str| text.parse().ok();
                    options.generations = arguments.value_as("a number", number)?;
                }
                "--png" => options.png = Some(arguments.value()?.into()),
                "--frames" => options.frames = Some(arguments.value()?.into()),
                "--quiet" => options.quiet = true,
                "--help" | "-h" => options.help = true,
                _ if option.starts_with('-') => return Err(arguments.unknown().into()),
                _ if options.pattern.is_some() => {
                    let second =
                        format!("only one pattern can be given, but there is also '{option}'");
                    return Err(OptionsError(second));
                }
                _ => options.pattern = Some(arguments.word().into()),
            }
        }
        Ok(options)
    }
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
