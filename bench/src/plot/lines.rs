//! Lines through points.

use std::path::Path;

use crate::plot::frame::{self, Frame};
use crate::plot::legend::{self, Legend};
use crate::plot::scale::Scale;
use crate::plot::style::styles;
use crate::plot::{Axis, PlotError, Series, check};

/// Writes a plot of lines. The legend lists them from the one that ends highest down to the one that ends lowest.
///
/// # Errors
/// If there is no point, a number has no place on its axis, or the file cannot be written.
pub fn lines(
    file: &Path,
    title: &str,
    subtitle: &str,
    x: &Axis,
    y: &Axis,
    series: &[Series],
) -> Result<(), PlotError> {
    let points = || series.iter().flat_map(|series| &series.points);
    let columns: Vec<f64> = points().map(|point| point.0).collect();
    let rows: Vec<f64> = points().map(|point| point.1).collect();
    check(file, x, &columns)?;
    check(file, y, &rows)?;
    let (x_scale, y_scale) = (Scale::new(x, &columns, false), Scale::new(y, &rows, true));

    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let mut drawn: Vec<_> = series.iter().zip(styles(&names)).collect();
    drawn.retain(|(series, _)| !series.points.is_empty());
    drawn.sort_by(|(one, _), (other, _)| last(other).total_cmp(&last(one)));
    let entries = drawn
        .iter()
        .map(|(series, style)| (series.name.clone(), *style));
    let legend = Legend {
        entries: entries.collect(),
        of_bars: false,
    };
    let frame = Frame {
        title,
        subtitle,
        x_title: &x.title,
        y_title: &y.title,
        y: &y_scale,
        y_unit: y.unit,
        legend: &legend,
    };
    frame.write(file, |canvas, inside| {
        frame::columns(canvas, inside, &x_scale, x.unit)?;
        for (series, style) in &drawn {
            let mut points = series.points.clone();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let place = |(x, y)| {
                let (column, row) = (x_scale.place(x), y_scale.place(y));
                (inside.column(column), inside.row(row))
            };
            let places: Vec<_> = points.into_iter().map(place).collect();
            legend::path(canvas, places.clone(), style)?;
            for place in places {
                legend::mark(canvas, place, style)?;
            }
        }
        Ok(())
    })
}

/// The height at which a line ends.
fn last(series: &Series) -> f64 {
    let rightmost = series
        .points
        .iter()
        .max_by(|one, other| one.0.total_cmp(&other.0));
    rightmost.map_or(f64::NEG_INFINITY, |point| point.1)
}
