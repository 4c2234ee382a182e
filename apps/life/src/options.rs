//! The command line of `life`.

use std::path::PathBuf;

use program::command_line::{Arg, Arguments, Error, Long, Value, follow};

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
Patterns that come with it are in apps/life/patterns/.";

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
        }
    }
}

/// Longest side of a torus, so that the number of its cells does not overflow.
const MAX_SIDE: usize = 1 << 24;

impl Options {
    /// The options of this image's command line; none after `--help`. An error in it ends the job.
    pub fn from_command_line() -> Option<Self> {
        let mut options = Self::default();
        follow(HELP, |option, arguments| options.set(option, arguments)).then_some(options)
    }

    fn set(&mut self, option: Arg<'_>, arguments: &mut Arguments) -> Result<(), Error> {
        match option {
            Long("size") => {
                let form = "WIDTHxHEIGHT in cells, such as 2048x1024";
                [self.width, self.height] = arguments.extents(form, MAX_SIDE)?;
            }
            Long("generations") => self.generations = arguments.number("a number", |_| true)?,
            Long("png") => self.png = Some(arguments.path()?),
            Long("frames") => self.frames = Some(arguments.path()?),
            Long("quiet") => self.quiet = true,
            Value(path) if self.pattern.is_none() => self.pattern = Some(path.into()),
            Value(second) => {
                let second = second.to_string_lossy();
                let told = format!("only one pattern can be given, but there is also '{second}'");
                return Err(told.into());
            }
            _ => return Err(option.unexpected()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::command_line::read;

    fn parse(line: &str) -> Result<Options, String> {
        let mut options = Options::default();
        let set = |option: Arg<'_>, arguments: &mut Arguments| options.set(option, arguments);
        read(line.split_whitespace(), set).map_err(|error| error.to_string())?;
        Ok(options)
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
        };
        let line = "--size 40x30 a.rle --generations=7 --png a.png --frames=out --quiet";
        assert_eq!(parse(line), Ok(expected));
        assert_eq!(parse(""), Ok(Options::default()));
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
