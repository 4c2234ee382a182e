//! The flow in a box whose lid slides, by a lattice Boltzmann method; the box is divided among images.
//!
//! ```text
//! cargo run --release --bin lbm -- --png cavity.png
//! cargo run --release --bin lbm -- --size 128x1x128 --periodic-span --steps 60000 --profile lines.csv
//! ```
//!
//! Shows: many arrays over the same blocks, each with a halo only on the sides that need one, and all exchanges in
//! flight at once (`cavity.rs`). Neighbours wait for each other by events; the loop has no barrier.

mod cavity;
mod flow;
mod options;
mod stream;
mod streamlines;
mod walls;

use std::io::Write;
use std::path::Path;

use coarray::grid::{Blocks, ImageGrid};
use coarray::prelude::*;
use lbm::lattice;
use program::canvas::Colour;
use program::chart::Chart;
use program::command_line::{fail, refuse};
use program::memory::afford;
use program::output::{self, OutputError};
use program::steps;

use cavity::Cavity;
use flow::{Flow, Plane};
use options::Options;

/// From dark blue over green to yellow.
const SPEEDS: [Colour; 6] = [
    [40, 20, 80],
    [52, 70, 140],
    [34, 124, 142],
    [44, 170, 120],
    [140, 208, 70],
    [253, 231, 37],
];

#[coarray::main]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    let grid = ImageGrid::balanced_for(options.size).unwrap_or_else(|error| refuse(error));
    let grid = grid.with_periodic([false, options.periodic_span, false]);
    let blocks = Blocks::new(options.size, grid).unwrap_or_else(|error| refuse(error));
    if this_image() == 0 {
        for path in options.png.iter().chain(&options.profile) {
            output::check_writable(path).unwrap_or_else(|error| refuse(error));
        }
    }
    // All populations, now and next; and at the end each with its number, for the checksum.
    let [x, y, z] = options.size;
    let bytes = blocks.cells() / num_images() * lattice::Q * (2 * 8 + 16);
    afford(format_args!("--size {x}x{y}x{z}"), bytes);
    let cavity = Cavity::new(&blocks, options.relaxation(), options.lid);
    let mut cavity = cavity.unwrap_or_else(|error| refuse(error));

    let shares = steps::take(options.steps, options.quiet, |step, clock| {
        cavity.step(clock);
        // A value that is not finite spreads by a cell in each step.
        if step % 100 == 0 && !cavity.is_finite() {
            refuse_blown_up();
        }
    });

    let flow = Flow::of(&cavity, &blocks).unwrap_or_else(|error| refuse(error));
    let mass = flow.mass();
    if !mass.is_finite() {
        refuse_blown_up();
    }
    let plane = flow.middle(options.lid);
    if let Some(plane) = &plane {
        let cells = blocks.cells();
        println!("steps: {}", options.steps);
        println!("checksum: {:016x}", flow.checksum());
        println!(
            "mass: {mass:.9}, relative change {:.1e}",
            mass / cells as f64 - 1.0
        );
        describe(plane);
        write_files(plane, &options);
        steps::report(cells, options.steps, &shares);
    }
}

/// Prints the extremes of the flow in the middle.
fn describe(plane: &Plane) {
    let place = |index: usize, cells: usize| (index as f64 + 0.5) / cells as f64;
    let lowest = |line: &[f64]| {
        let least = line.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let (index, value) = least.expect("a line has a cell");
        (*value, place(index, line.len()))
    };
    let (velocity, height) = lowest(&plane.vertical_line());
    println!(
        "lowest velocity along the lid, on the vertical line: {velocity:.5} at height {height:.4}"
    );
    let (velocity, way) = lowest(&plane.horizontal_line());
    println!(
        "lowest velocity upwards, on the horizontal line: {velocity:.5} at {way:.4} of the way"
    );
}

/// Writes what the user asked for.
fn write_files(plane: &Plane, options: &Options) {
    if let Some(path) = &options.png {
        write_picture(plane, options, path).unwrap_or_else(|error| fail(error));
    }
    if let Some(path) = &options.profile {
        write_profile(plane, path).unwrap_or_else(|error| fail(error));
    }
}

/// The velocities on the lines through the middle, at the centres of the cells.
fn write_profile(plane: &Plane, path: &Path) -> Result<(), OutputError> {
    output::write(path, |file| {
        writeln!(file, "line,place,velocity")?;
        for (name, line) in [
            ("vertical", plane.vertical_line()),
            ("horizontal", plane.horizontal_line()),
        ] {
            for (index, velocity) in line.iter().enumerate() {
                let place = (index as f64 + 0.5) / line.len() as f64;
                writeln!(file, "{name},{place},{velocity}")?;
            }
        }
        Ok(())
    })
}

/// Speed as colours, with streamlines, seen from the side: the lid is at the top and moves to the right.
fn write_picture(plane: &Plane, options: &Options, path: &Path) -> Result<(), OutputError> {
    let (columns, rows) = plane.along.dim();
    let at = |row: usize, column: usize| {
        let cell = [column, rows - 1 - row];
        [plane.along[cell], plane.up[cell]]
    };
    let speed = |row: usize, column: usize| {
        let [along, up] = at(row, column);
        along.hypot(up)
    };
    let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let fastest = all
        .map(|(row, column)| speed(row, column))
        .fold(0.0, f64::max);
    let chart = Chart {
        title: &format!("Cavity, Re = {}, step {}", options.reynolds, options.steps),
        across: ("x", "0", &columns.to_string()),
        down: ("z", &rows.to_string(), "0"),
        quantity: "speed / lid",
        range: (0.0, if fastest > 0.0 { fastest } else { 1.0 }),
        colours: &SPEEDS,
    };
    let velocity = |[right, down]: [f64; 2]| {
        let cell = |share: f64, cells: usize| {
            let place = (share * cells as f64 - 0.5).clamp(0.0, (cells - 1) as f64);
            let first = (place as usize).min(cells.saturating_sub(2));
            (first, (first + 1).min(cells - 1), place - first as f64)
        };
        let ((left, right, part), (up, down, lower)) = (cell(right, columns), cell(down, rows));
        let mix = |a: [f64; 2], b: [f64; 2], share: f64| {
            [0, 1].map(|i| a[i] * (1.0 - share) + b[i] * share)
        };
        let line = |row: usize| mix(at(row, left), at(row, right), part);
        let [along, upwards] = mix(line(up), line(down), lower);
        [along, -upwards]
    };
    let canvas = chart.draw(rows, columns, speed, |canvas, area| {
        streamlines::draw(canvas, area, velocity);
    });
    canvas.write_png(path)
}

/// Ends the job because the method was not stable.
fn refuse_blown_up() -> ! {
    refuse("the flow has blown up; give a larger --size or a smaller --reynolds")
}
