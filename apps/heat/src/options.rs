//! The command line of `heat`.

use std::path::PathBuf;

use program::command_line::{Long, follow};

/// What `heat --help` prints.
pub(crate) const HELP: &str = "\
Heat spreads over a plate whose edges are kept cold; the plate is divided among images.

usage: heat [--size ROWSxCOLUMNS] [--steps N] [--diffusion R] [--start spots|sine]
            [--png FILE] [--no-overlap] [--quiet]

  --size ROWSxCOLUMNS  cells of the plate (default: 1024x1024)
  --steps N            how many steps to compute (default: 2000)
  --diffusion R        diffusivity times time step over the square of a cell's side, above 0 and
                       at most 0.25 (default: 0.2)
  --start WHAT         spots: three hot discs (default)
                       sine: half a sine wave on either axis, of which is known how it decays;
                       it is told how far the result is from that
  --png FILE           write a picture of the temperature
  --no-overlap         wait for the neighbours' cells before anything is computed
  --quiet              show no progress bar

It ends with a checksum, which does not depend on the number of images, with the rate and the share
of time spent communicating and waiting.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N heat ...`.";

/// What the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) size: [usize; 2],
    pub(crate) steps: usize,
    pub(crate) diffusion: f64,
    pub(crate) start: Start,
    pub(crate) png: Option<PathBuf>,
    pub(crate) overlap: bool,
    pub(crate) quiet: bool,
}

/// The temperatures at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Spots,
    Sine,
}

impl Options {
    /// The options of this image's command line; none after `--help`. An error in it ends the job.
    pub(crate) fn from_command_line() -> Option<Self> {
        let mut options = Self {
            size: [1024; 2],
            steps: 2000,
            diffusion: 0.2,
            start: Start::Spots,
            png: None,
            overlap: true,
            quiet: false,
        };
        let goes_on = follow(HELP, |option, arguments| {
            match option {
                Long("size") => {
                    let form = "ROWSxCOLUMNS in cells, such as 512x768";
                    options.size = arguments.extents(form, 1 << 20)?;
                }
                Long("steps") => options.steps = arguments.count(usize::MAX)?,
                Long("diffusion") => {
                    let stable = |number: &f64| *number > 0.0 && *number <= 0.25;
                    let expected =
                        "a number above 0 and at most 0.25, beyond which the steps are unstable";
                    options.diffusion = arguments.number(expected, stable)?;
                }
                Long("start") => {
                    let starts = [("spots", Start::Spots), ("sine", Start::Sine)];
                    options.start = arguments.one_of(starts)?;
                }
                Long("png") => options.png = Some(arguments.path()?),
                Long("no-overlap") => options.overlap = false,
                Long("quiet") => options.quiet = true,
                _ => return Err(option.unexpected()),
            }
            Ok(())
        });
        goes_on.then_some(options)
    }
}
