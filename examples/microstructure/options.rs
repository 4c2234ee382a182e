//! The command line of `microstructure`.

use std::path::{Path, PathBuf};

use crate::command_line::arguments::{ArgumentError, Arguments, extents};
use crate::command_line::follow;
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
    /// One nucleus for so many cells.
    pub cells_per_grain: u64,
    /// Which random numbers.
    pub seed: u64,
    /// What is beyond the faces.
    pub boundary: Boundary,
    /// The direction of the stress: x, y, z, of length 1.
    pub stress: Vector,
    /// The share of the stress that a grain withstands.
    pub threshold: f64,
    /// What crossing a boundary costs.
    pub penalty: f64,
    /// How images find out that all is solid.
    pub reduction: Reduction,
    /// Do it in all ways.
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

/// Longest edge of a model, so that its cells can be counted.
const MAX_SIDE: usize = 1 << 20;

impl Options {
    /// What this image's command line asks for; none if that is help. What cannot be followed ends the job.
    pub fn from_command_line() -> Option<Self> {
        let mut options = Self::default();
        follow("microstructure", HELP, |option, arguments| {
            options.set(option, arguments)
        })
        .then_some(options)
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

    fn set(&mut self, option: &str, arguments: &mut Arguments) -> Result<(), ArgumentError> {
        match option {
            "--size" => {
                let expected = "XxYxZ in cells, such as 128x128x64, each 1 to 1048576";
                self.shape = arguments.value_as(expected, size)?;
            }
            "--cells-per-grain" => {
                let positive = |text: &str| text.parse().ok().filter(|&number| number > 0);
                self.cells_per_grain =
                    arguments.value_as("a number of cells, at least 1", positive)?;
            }
            "--seed" => {
                let number = |text: &str| text.parse().ok();
                self.seed = arguments.value_as("a number from 0 to 2^64 - 1", number)?;
            }
            "--boundary" => {
                self.boundary = arguments.value_as("fixed or periodic", |text| match text {
                    "fixed" => Some(Boundary::Fixed),
                    "periodic" => Some(Boundary::Periodic),
                    _ => None,
                })?;
            }
            "--stress" => {
                self.stress = arguments.value_as("a direction X,Y,Z, not 0,0,0", direction)?;
            }
            "--threshold" => {
                let share = |text: &str| number(text).filter(|share| (0.0..=1.0).contains(share));
                self.threshold = arguments.value_as("a number from 0 to 1", share)?;
            }
            "--penalty" => {
                let cost = |text: &str| number(text).filter(|&cost| cost >= 0.0);
                self.penalty = arguments.value_as("a number, at least 0", cost)?;
            }
            "--reduction" => {
                let named = |text: &str| Reduction::ALL.into_iter().find(|how| how.name() == text);
                self.reduction = arguments.value_as("read-all, serial, divide or co-sum", named)?;
            }
            "--compare-reductions" => self.compare_reductions = true,
            "--npy" => self.npy = Some(arguments.value()?.into()),
            "--vti" => self.vti = Some(arguments.value()?.into()),
            "--png" => self.png = Some(arguments.value()?.into()),
            "--sizes" => self.sizes = Some(arguments.value()?.into()),
            "--misorientations" => self.misorientations = Some(arguments.value()?.into()),
            "--quiet" => self.quiet = true,
            _ => return Err(arguments.unknown()),
        }
        Ok(())
    }
}

fn size(text: &str) -> Option<[usize; 3]> {
    let [x, y, z] = extents(text, MAX_SIDE)?.try_into().ok()?;
    Some([z, y, x])
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
#[path = "options/tests.rs"]
mod tests;
