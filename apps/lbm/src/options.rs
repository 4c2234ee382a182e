//! The command line of `lbm`.

use std::path::PathBuf;

use program::command_line::{Long, follow, refuse};

/// What `lbm --help` prints.
pub(crate) const HELP: &str = "\
The flow in a box whose lid slides, by a lattice Boltzmann method; the box is divided among images.

usage: lbm [--size XxYxZ] [--reynolds R] [--lid U] [--steps N] [--periodic-span] [--png FILE]
           [--profile FILE.csv] [--quiet]

  --size XxYxZ        cells along the lid's way, across it, and upwards (default: 48x48x48)
  --reynolds R        the Reynolds number: of the lid's velocity and its length X (default: 100)
  --lid U             the velocity of the lid in cells for a step, at most 0.2 (default: 0.1)
  --steps N           how many steps to compute (default: 4000)
  --periodic-span     no walls across the lid's way: the flow is as in two dimensions
  --png FILE          write a picture of the plane half-way across: speed and streamlines
  --profile FILE.csv  write the velocities on the lines through the middle of that plane
  --quiet             show no progress bar

It ends with a checksum, which does not depend on the number of images, with the rate and the share
of time spent communicating and waiting.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N lbm ...`.";

/// What the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) size: [usize; 3],
    pub(crate) reynolds: f64,
    pub(crate) lid: f64,
    pub(crate) steps: usize,
    pub(crate) periodic_span: bool,
    pub(crate) png: Option<PathBuf>,
    pub(crate) profile: Option<PathBuf>,
    pub(crate) quiet: bool,
}

/// The shortest relaxation time, in steps, with which a run is worth a try.
const LEAST_TIME: f64 = 0.505;

impl Options {
    /// The share by which populations relax in a step: the viscosity is a third of the time above half a step.
    pub(crate) fn relaxation(&self) -> f64 {
        1.0 / self.relaxation_time()
    }

    fn relaxation_time(&self) -> f64 {
        0.5 + 3.0 * self.lid * self.size[0] as f64 / self.reynolds
    }

    /// The options of this image's command line; none after `--help`. An error in it, or an unstable choice, ends the
    /// job.
    pub(crate) fn from_command_line() -> Option<Self> {
        let mut options = Self {
            size: [48; 3],
            reynolds: 100.0,
            lid: 0.1,
            steps: 4000,
            periodic_span: false,
            png: None,
            profile: None,
            quiet: false,
        };
        let goes_on = follow(HELP, |option, arguments| {
            let positive = |most: f64| move |number: &f64| *number > 0.0 && *number <= most;
            match option {
                Long("size") => {
                    let form = "XxYxZ in cells, such as 64x64x32";
                    options.size = arguments.extents(form, 1 << 16)?;
                }
                Long("reynolds") => {
                    let expected = "a number above 0 and at most 1000000";
                    options.reynolds = arguments.number(expected, positive(1e6))?;
                }
                Long("lid") => {
                    let expected = "a number above 0 and at most 0.2";
                    options.lid = arguments.number(expected, positive(0.2))?;
                }
                Long("steps") => options.steps = arguments.count(usize::MAX)?,
                Long("periodic-span") => options.periodic_span = true,
                Long("png") => options.png = Some(arguments.path()?),
                Long("profile") => options.profile = Some(arguments.path()?),
                Long("quiet") => options.quiet = true,
                _ => return Err(option.unexpected()),
            }
            Ok(())
        });
        let (time, reynolds, [cells, ..]) =
            (options.relaxation_time(), options.reynolds, options.size);
        if goes_on && time < LEAST_TIME {
            refuse(format_args!(
                "--reynolds {reynolds} with {cells} cells along the lid is unstable: the relaxation time would be {time:.4} steps, and should be {LEAST_TIME} at least; give a larger --size, a smaller --reynolds or a larger --lid"
            ));
        }
        goes_on.then_some(options)
    }
}
