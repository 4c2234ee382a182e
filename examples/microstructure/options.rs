//! The command line of `microstructure`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::reduction::Reduction;
use crate::rotation::{Vector, dot};

/// What `microstructure --help` prints.
pub const HELP: &str = "\
A polycrystal solidifies: a cellular automaton in three dimensions, divided among images.

usage: microstructure [--size XxYxZ] [--cells-per-grain N] [--seed S] [--boundary fixed|periodic]
                      [--stress X,Y,Z] [--threshold F] [--penalty F] [--reduction NAME] [--compare-reductions]
                      [--npy FILE] [--vti FILE] [--png FILE] [--sizes FILE] [--misorientations FILE]
                      [--only-named] [--quiet]

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
                        other grains (boundary), in which step it broke, or 0 (broken) (default: microstructure.vti)
  --png FILE            the plane in the middle of z, coloured by orientation; boundaries are dark, the crack is black
                        (default: microstructure.png)
  --sizes FILE          histogram of grain volumes, SVG (default: microstructure-sizes.svg)
  --misorientations FILE
                        histogram of misorientations, SVG (default: microstructure-misorientations.svg)
  --npy FILE            the number of every cell's grain for NumPy, indexed [z, y, x]
  --only-named          write only the files that are named
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
    /// Only the help text is wanted.
    pub help: bool,
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
            help: false,
        }
    }
}

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// A word that means nothing.
    #[error("unknown option '{0}'; microstructure --help lists them all")]
    Unknown(String),
    /// An option at the end of the line that needs a value.
    #[error("option {0} needs a value")]
    MissingValue(String),
    /// A value for an option that has none.
    #[error("option {0} takes no value")]
    NeedlessValue(String),
    /// A value of the wrong form.
    #[error("{option} {value}: expected {expected}")]
    BadValue {
        /// The option.
        option: String,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
}

/// Longest edge of a model, so that its cells can be counted.
const MAX_SIDE: usize = 1 << 20;

impl Options {
    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    /// An [`OptionsError`] that says which word is wrong.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, OptionsError> {
        let mut options = Self::default();
        let mut only_named = false;
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let word = argument.to_string_lossy().into_owned();
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => {
                    (name.to_owned(), Some(OsString::from(value)))
                }
                _ => (word.clone(), None),
            };
            let is_flag = options.set_flag(&name, &mut only_named);
            if is_flag {
                if attached.is_some() {
                    return Err(OptionsError::NeedlessValue(name));
                }
                continue;
            }
            if !VALUED.contains(&name.as_str()) {
                return Err(OptionsError::Unknown(word));
            }
            let value = attached
                .or_else(|| arguments.next())
                .ok_or_else(|| OptionsError::MissingValue(name.clone()))?;
            options.set(&name, value)?;
        }
        if !only_named {
            options.name_the_rest();
        }
        Ok(options)
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

    fn set_flag(&mut self, name: &str, only_named: &mut bool) -> bool {
        match name {
            "--compare-reductions" => self.compare_reductions = true,
            "--only-named" => *only_named = true,
            "--quiet" => self.quiet = true,
            "--help" | "-h" => self.help = true,
            _ => return false,
        }
        true
    }

    fn set(&mut self, name: &str, value: OsString) -> Result<(), OptionsError> {
        let text = value.to_string_lossy().into_owned();
        let bad = |expected| OptionsError::BadValue {
            option: name.to_owned(),
            value: text.clone(),
            expected,
        };
        match name {
            "--size" => {
                self.shape = size(&text)
                    .ok_or_else(|| bad("XxYxZ in cells, such as 128x128x64, each 1 to 1048576"))?;
            }
            "--cells-per-grain" => {
                let number = text.parse().ok().filter(|&number| number > 0);
                self.cells_per_grain =
                    number.ok_or_else(|| bad("a number of cells, at least 1"))?;
            }
            "--seed" => {
                self.seed = text
                    .parse()
                    .map_err(|_| bad("a number from 0 to 2^64 - 1"))?;
            }
            "--boundary" => {
                self.boundary = match text.as_str() {
                    "fixed" => Boundary::Fixed,
                    "periodic" => Boundary::Periodic,
                    _ => return Err(bad("fixed or periodic")),
                }
            }
            "--stress" => {
                let direction = direction(&text);
                self.stress = direction.ok_or_else(|| bad("a direction X,Y,Z, not 0,0,0"))?;
            }
            "--threshold" => {
                let share = number(&text).filter(|share| (0.0..=1.0).contains(share));
                self.threshold = share.ok_or_else(|| bad("a number from 0 to 1"))?;
            }
            "--penalty" => {
                let cost = number(&text).filter(|&cost| cost >= 0.0);
                self.penalty = cost.ok_or_else(|| bad("a number, at least 0"))?;
            }
            "--reduction" => {
                let known = Reduction::ALL.into_iter().find(|how| how.name() == text);
                self.reduction = known.ok_or_else(|| bad("read-all, serial, divide or co-sum"))?;
            }
            "--npy" => self.npy = Some(value.into()),
            "--vti" => self.vti = Some(value.into()),
            "--png" => self.png = Some(value.into()),
            "--sizes" => self.sizes = Some(value.into()),
            _ => self.misorientations = Some(value.into()),
        }
        Ok(())
    }

    /// Gives names to the files that were not named.
    fn name_the_rest(&mut self) {
        for (file, name) in [
            (&mut self.vti, "microstructure.vti"),
            (&mut self.png, "microstructure.png"),
            (&mut self.sizes, "microstructure-sizes.svg"),
            (
                &mut self.misorientations,
                "microstructure-misorientations.svg",
            ),
        ] {
            file.get_or_insert_with(|| name.into());
        }
    }
}

/// The options that have a value.
const VALUED: [&str; 13] = [
    "--size",
    "--cells-per-grain",
    "--seed",
    "--boundary",
    "--stress",
    "--threshold",
    "--penalty",
    "--reduction",
    "--npy",
    "--vti",
    "--png",
    "--sizes",
    "--misorientations",
];

fn size(text: &str) -> Option<[usize; 3]> {
    let sides: Option<Vec<usize>> = text
        .split(['x', 'X'])
        .map(|side| {
            side.parse()
                .ok()
                .filter(|side| (1..=MAX_SIDE).contains(side))
        })
        .collect();
    let [x, y, z]: [usize; 3] = sides?.try_into().ok()?;
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
