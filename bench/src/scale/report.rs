//! What people and programs get to see of scaling.

use std::path::Path;

use crate::options::Scale;
use crate::plot::{self, Axis, PlotError, Series, Unit};
use crate::report::machine::Machine;
use crate::report::table::aligned;
use crate::report::units::{digits, factor, time};
use crate::scale::Row;
use crate::scale::workload::Scaling;

/// Prints a JSON object a line.
pub fn json(rows: &[Row]) {
    for row in rows {
        println!("{}", json_line(row));
    }
}

fn json_line(row: &Row) -> String {
    format!(
        r#"{{"op":"{}","scaling":"{}","images":{},"parameters":"{}","rate":{:.6},"unit":"{}","ns":{:.0},"speedup":{:.4},"efficiency":{:.4}}}"#,
        row.workload.name(),
        row.scaling.name(),
        row.images,
        row.parameters,
        row.rate(),
        row.unit(),
        row.time(),
        row.speedup(),
        row.efficiency(),
    )
}

/// Prints a table for each way of scaling, headed by what was measured where.
pub fn table(rows: &[Row], options: &Scale, rounds: usize) {
    println!("{}", machine(options, rounds));
    for scaling in Scaling::ALL {
        let titles = [
            "program",
            "parameters",
            "images",
            "time",
            "rate",
            "speedup",
            "efficiency",
        ];
        let mut lines = vec![titles.map(str::to_owned).to_vec()];
        lines.extend(rows.iter().filter(|row| row.scaling == scaling).map(cells));
        let problem = match scaling {
            Scaling::Strong => "the same problem for all numbers of images",
            Scaling::Weak => "a problem that grows with the images",
        };
        print!(
            "\n{} scaling: {problem}\n{}",
            scaling.name(),
            aligned(&lines)
        );
    }
}

fn cells(row: &Row) -> Vec<String> {
    vec![
        row.workload.name().to_owned(),
        row.parameters.clone(),
        row.images.to_string(),
        time(row.time()),
        format!("{} {}", digits(row.rate()), row.unit()),
        factor(row.speedup()),
        format!("{:.0} %", 100.0 * row.efficiency()),
    ]
}

fn machine(options: &Scale, rounds: usize) -> String {
    let machine = Machine {
        images: options.images,
        fabric: options.fabric,
        rounds,
    };
    machine.line()
}

/// Writes plots of speedups and efficiencies.
///
/// # Errors
/// If a plot cannot be written.
pub fn plots(rows: &[Row], options: &Scale, rounds: usize, folder: &Path) -> Result<(), PlotError> {
    plot::folder(folder)?;
    let subtitle = format!("{}; cobench scale", machine(options, rounds));
    let axis = |title: &str, unit, logarithmic| Axis {
        title: title.into(),
        unit,
        logarithmic,
    };
    let images = axis("images", Unit::Count, true);
    for scaling in Scaling::ALL {
        let name = scaling.name();
        let mut speedups = series(rows, scaling, Row::speedup);
        if let Some(first) = speedups.first() {
            let points = first.points.iter().map(|&(images, _)| (images, images));
            speedups.push(Series {
                name: "ideal".into(),
                points: points.collect(),
            });
        }
        plot::lines(
            &folder.join(format!("scale_{name}_speedup.svg")),
            &format!("Speedup by {name} scaling"),
            &subtitle,
            &images,
            &axis("rate, as a multiple of one image's", Unit::Times, true),
            &speedups,
        )?;
        plot::lines(
            &folder.join(format!("scale_{name}_efficiency.svg")),
            &format!("Parallel efficiency by {name} scaling"),
            &subtitle,
            &images,
            &axis("speedup for each image", Unit::Times, false),
            &series(rows, scaling, Row::efficiency),
        )?;
    }
    for rows in rows.chunk_by(|one, other| one.workload.name() == other.workload.name()) {
        let program = rows[0].workload.name();
        let rates = Scaling::ALL.map(|scaling| Series {
            name: scaling.name().to_owned(),
            points: points(rows, scaling, Row::rate),
        });
        plot::lines(
            &folder.join(format!("scale_{program}_rate.svg")),
            &format!("{program}: rate by the number of images"),
            &subtitle,
            &images,
            &axis("rate", rate_of(rows[0].unit()), true),
            &rates,
        )?;
    }
    Ok(())
}

/// How the programs tell their rates.
const UNITS: [&str; 4] = ["Mcells/s", "MFlops/s", "MB/s", "GUPS/s"];

fn rate_of(unit: &str) -> Unit {
    let known = UNITS.into_iter().find(|known| *known == unit);
    known.map_or(Unit::Count, Unit::Rate)
}

/// A line for each program.
fn series(rows: &[Row], scaling: Scaling, value: fn(&Row) -> f64) -> Vec<Series> {
    rows.chunk_by(|one, other| one.workload.name() == other.workload.name())
        .map(|rows| Series {
            name: rows[0].workload.name().to_owned(),
            points: points(rows, scaling, value),
        })
        .collect()
}

/// A value by the number of images.
fn points(rows: &[Row], scaling: Scaling, value: fn(&Row) -> f64) -> Vec<(f64, f64)> {
    rows.iter()
        .filter(|row| row.scaling == scaling)
        .map(|row| (row.images as f64, value(row)))
        .collect()
}
