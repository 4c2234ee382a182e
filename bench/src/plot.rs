//! Plots of what was measured, as SVG files.
//!
//! A name has the same colour and the same marker in every plot ([`style`]), the legend stands outside of the data, and
//! ticks are numbers as people say them ([`mod@unit`]).

mod bars;
mod frame;
mod legend;
mod lines;
mod scale;
mod style;
#[cfg(test)]
mod tests;
mod unit;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use bars::bars;
pub use lines::lines;
pub use unit::Unit;

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend, which decides on its colour.
    pub name: String,
    /// The points, drawn in the order of their first numbers.
    pub points: Vec<(f64, f64)>,
}

/// What an axis shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What is written along it.
    pub title: String,
    /// How its ticks are written.
    pub unit: Unit,
    /// Equal distances are equal factors.
    pub logarithmic: bool,
}

/// Bars that stand together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What is written below them.
    pub name: String,
    /// The name of each bar, which decides on its colour, and how high it is.
    pub bars: Vec<(String, f64)>,
}

/// Why there is no plot.
#[derive(Debug, Error)]
pub enum PlotError {
    /// There is nothing to show.
    #[error("there is nothing to plot in {0}")]
    Empty(PathBuf),
    /// A number has no place on its axis.
    #[error("{value} has no place on the axis '{axis}' of {file}")]
    NoPlace {
        /// The plot.
        file: PathBuf,
        /// The axis.
        axis: String,
        /// The number.
        value: f64,
    },
    /// The file cannot be written.
    #[error("cannot write {file}: {reason}")]
    Write {
        /// The plot.
        file: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Makes sure that the folder for plots is there.
///
/// # Errors
/// If it cannot be made.
pub fn folder(folder: &Path) -> Result<(), PlotError> {
    std::fs::create_dir_all(folder).map_err(|error| PlotError::Write {
        file: folder.to_owned(),
        reason: error.to_string(),
    })
}

/// Makes sure that all values can be shown on the axis.
fn check(file: &Path, axis: &Axis, values: &[f64]) -> Result<(), PlotError> {
    if values.is_empty() {
        return Err(PlotError::Empty(file.to_owned()));
    }
    let has_place = |value: f64| value.is_finite() && !(axis.logarithmic && value <= 0.0);
    match values.iter().find(|&&value| !has_place(value)) {
        None => Ok(()),
        Some(&value) => Err(PlotError::NoPlace {
            file: file.to_owned(),
            axis: axis.title.clone(),
            value,
        }),
    }
}
