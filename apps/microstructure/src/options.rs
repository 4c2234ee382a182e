//! The command line of `microstructure`.

use std::path::{Path, PathBuf};

use program::command_line::{Arg, Arguments, Error, Long, follow};

use crate::reduction::Reduction;
use crate::rotation::{Vector, dot};

/// What `microstructure --help` prints.
pub const HELP: &str = "\
A polycrystal solidifies: a cellular automaton in three dimensions, divided among images.

usage: microstructure [--size XxYxZ] [--cells-per-grain N] [--seed S] [--boundary fixed|periodic]
                      [--stress X,Y,Z] [--threshold F] [--penalty F] [--reduction NAME] [--compare-reductions]
                      [--npy FILE] [--vti FILE] [--png FILE] [--sizes FILE] [--misorientations FILE] [--quiet]

  --size XxYxZ          cells along each axis (default: 128x128x128)
  --cells-per-grain N   mean size of a grain; one nucleus for N cells (default: 4096)
  --seed S              which random numbers; the same seed gives the same grains on any number of images (default: 1)
  --boundary KIND       fixed: nothing beyond the faces; periodic: opposite faces touch (default: fixed)

  --stress X,Y,Z        direction of the largest principal stress, which opens the crack (default: 1,0,0)
  --threshold F         share of the stress across its {100} plane that a grain withstands, 0 to 1 (default: 0.5)
  --penalty F           what crossing into a grain costs for planes at right angles to each other (default: 0.5)

  --reduction NAME      how images find out that all is solid: read-all, serial, divide or co-sum (default: co-sum)
  --compare-reductions  do it in all four ways, and print how long each takes

  --vti FILE            for ParaView, of every cell: the number of its grain, how many of its 26 neighbours are of
                        other grains (boundary), in which step it broke, or 0 (broken)
  --png FILE            the plane in the middle of z, coloured by orientation; boundaries are dark, the crack is black
  --sizes FILE          histogram of grain volumes, SVG
  --misorientations FILE
                        histogram of misorientations, SVG
  --npy FILE            the number of every cell's grain for NumPy, indexed [z, y, x]
  --quiet               show no progress bar

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N microstructure ...`.";

/// What is beyond the faces of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Nothing that solidifies.
    Fixed,
    /// The opposite face.
    Periodic,
}

/// What the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Cells along z, y and x.
    pub shape: [usize; 3],
    /// Cells for each nucleus.
    pub cells_per_grain: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// What is beyond the faces.
    pub boundary: Boundary,
    /// The direction of the stress: x, y, z, of length 1.
    pub stress: Vector,
    /// The share of the stress that a grain withstands.
    pub threshold: f64,
    /// The cost of crossing a boundary.
    pub penalty: f64,
    /// How images find out that all is solid.
    pub reduction: Reduction,
    /// Whether to time all reductions.
    pub compare_reductions: bool,
    /// The file for NumPy.
    pub npy: Option<PathBuf>,
    /// The file for ParaView.
    pub vti: Option<PathBuf>,
    /// The picture of the plane in the middle.
    pub png: Option<PathBuf>,
    /// The histogram of volumes.
    pub sizes: Option<PathBuf>,
    /// The histogram of misorientations.
    pub misorientations: Option<PathBuf>,
    /// No progress bar.
    pub quiet: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            shape: [128; 3],
            cells_per_grain: 4096,
            seed: 1,
            boundary: Boundary::Fixed,
            stress: [1.0, 0.0, 0.0],
            threshold: 0.5,
            penalty: 0.5,
            reduction: Reduction::CoSum,
            compare_reductions: false,
            npy: None,
            vti: None,
            png: None,
            sizes: None,
            misorientations: None,
            quiet: false,
        }
    }
}

/// Longest edge of a model, so that the number of its cells does not overflow.
const MAX_SIDE: usize = 1 << 20;

impl Options {
    /// The options of this image's command line; none after `--help`. An error in it ends the job.
    pub fn from_command_line() -> Option<Self> {
        let mut options = Self::default();
        follow(HELP, |option, arguments| options.set(option, arguments)).then_some(options)
    }

    /// The files to write, with those that image 0 writes alone first.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [
            &self.png,
            &self.sizes,
            &self.misorientations,
            &self.npy,
            &self.vti,
        ]
        .into_iter()
        .filter_map(Option::as_deref)
    }

    fn set(&mut self, option: Arg<'_>, arguments: &mut Arguments) -> Result<(), Error> {
        match option {
            Long("size") => {
                let form = "XxYxZ in cells, such as 128x128x64";
                let [x, y, z] = arguments.extents(form, MAX_SIDE)?;
                self.shape = [z, y, x];
            }
            Long("cells-per-grain") => {
                let expected = "a number of cells, at least 1";
                self.cells_per_grain = arguments.number(expected, |&cells| cells > 0)?;
            }
            Long("seed") => {
                self.seed = arguments.number("a number from 0 to 2^64 - 1", |_| true)?;
            }
            Long("boundary") => {
                let kinds = [("fixed", Boundary::Fixed), ("periodic", Boundary::Periodic)];
                self.boundary = arguments.one_of(kinds)?;
            }
            Long("stress") => {
                self.stress = arguments.value("a direction X,Y,Z, not 0,0,0", direction)?;
            }
            Long("threshold") => {
                let is_share = |share: &f64| (0.0..=1.0).contains(share);
                self.threshold = arguments.number("a number from 0 to 1", is_share)?;
            }
            Long("penalty") => {
                let is_cost = |cost: &f64| cost.is_finite() && *cost >= 0.0;
                self.penalty = arguments.number("a number, at least 0", is_cost)?;
            }
            Long("reduction") => {
                self.reduction = arguments.one_of(Reduction::ALL.map(|how| (how.name(), how)))?;
            }
            Long("compare-reductions") => self.compare_reductions = true,
            Long("npy") => self.npy = Some(arguments.path()?),
            Long("vti") => self.vti = Some(arguments.path()?),
            Long("png") => self.png = Some(arguments.path()?),
            Long("sizes") => self.sizes = Some(arguments.path()?),
            Long("misorientations") => self.misorientations = Some(arguments.path()?),
            Long("quiet") => self.quiet = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn direction(text: &str) -> Option<Vector> {
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
    let vector: Vector = numbers?.try_into().ok()?;
    let length = dot(vector, vector).sqrt();
    (length.is_normal()).then(|| vector.map(|x| x / length))
}

#[cfg(test)]
mod tests;
