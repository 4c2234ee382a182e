//! Heat spreads over a plate whose edges are kept cold; the plate is divided among images.
//!
//! ```text
//! cargo run --release --bin heat -- --png plate.png
//! cargo run --release --bin heat -- --start sine --no-overlap
//! ```
//!
//! Shows: an array divided over a grid of images, whose halos are exchanged while the cells that need no halo are
//! computed (`plate.rs`). An image waits only for its neighbours.
//!
//! The scheme is explicit, with five points: forward in time, central in space.

mod options;
mod plate;

use std::f64::consts::PI;
use std::path::Path;

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use program::canvas::Colour;
use program::chart::Chart;
use program::checksum::checksum;
use program::command_line::{fail, refuse};
use program::memory::afford;
use program::{output, steps};

use options::{Options, Start};
use plate::Plate;

/// From black over red and orange to a light yellow.
const GLOW: [Colour; 6] = [
    [10, 8, 26],
    [84, 16, 98],
    [170, 40, 86],
    [234, 92, 46],
    [252, 172, 36],
    [250, 250, 180],
];

#[coarray::main]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    let grid = ImageGrid::balanced_for(options.size).unwrap_or_else(|error| refuse(error));
    let blocks = Blocks::new(options.size, grid).unwrap_or_else(|error| refuse(error));
    if let (0, Some(png)) = (this_image(), &options.png) {
        output::check_writable(png).unwrap_or_else(|error| refuse(error));
    }
    let picture = if this_image() == 0 && options.png.is_some() {
        blocks.cells()
    } else {
        0
    };
    let own = blocks.cells() / num_images();
    let [rows, columns] = options.size;
    let wanted = format!("--size {rows}x{columns}");
    afford(wanted, 8 * (2 * own + picture));

    let temperature = |cell| match options.start {
        Start::Spots => spots(cell, options.size),
        Start::Sine => sine(cell, options.size),
    };
    let plate = Plate::new(&blocks, options.diffusion, options.overlap, temperature);
    let mut plate = plate.unwrap_or_else(|error| refuse(error));

    let shares = steps::take(options.steps, options.quiet, |_, clock| plate.step(clock));

    if let Some(png) = &options.png {
        write_picture(plate.temperatures(), &options, png);
    }
    describe(plate.temperatures(), &options);
    if this_image() == 0 {
        steps::report(blocks.cells(), options.steps, &shares);
    }
}

/// Three discs, between 0.6 and 1 hot.
fn spots([row, column]: [usize; 2], [rows, columns]: [usize; 2]) -> f64 {
    const DISCS: [(f64, f64, f64, f64); 3] = [
        (0.35, 0.3, 0.16, 1.0),
        (0.3, 0.72, 0.1, 0.8),
        (0.7, 0.6, 0.2, 0.6),
    ];
    let shorter = rows.min(columns) as f64;
    let hot = DISCS.iter().find(|(down, right, radius, _)| {
        let y = row as f64 + 0.5 - down * rows as f64;
        let x = column as f64 + 0.5 - right * columns as f64;
        x.hypot(y) < radius * shorter
    });
    hot.map_or(0.0, |disc| disc.3)
}

/// Half a sine wave on either axis, which is 0 in the cells beyond the edges.
fn sine([row, column]: [usize; 2], [rows, columns]: [usize; 2]) -> f64 {
    let wave = |index: usize, cells: usize| (PI * (index + 1) as f64 / (cells + 1) as f64).sin();
    wave(row, rows) * wave(column, columns)
}

/// Collective. Prints the state of the plate.
fn describe(temperatures: &HaloArray<f64, 2>, options: &Options) {
    let [rows, columns] = options.size;
    let own = temperatures.interior();
    let cells = own.indexed_iter().map(|((row, column), &value)| {
        let [row, column] = temperatures.global_of([row, column]);
        (row * columns + column, value)
    });
    let checksum = checksum(cells);
    let mut hottest = own.iter().copied().fold(0.0, f64::max);
    co_max(&mut hottest);
    let mut sum = own.sum();
    co_sum(&mut sum);
    if this_image() == 0 {
        println!("steps: {}", options.steps);
        println!("checksum: {checksum:016x}");
        println!("mean temperature: {:.9}", sum / (rows * columns) as f64);
        println!("highest temperature: {hottest:.9}");
    }
    if options.start == Start::Sine {
        // The projection of the field on the wave; the field should have no other part.
        let waves = own.indexed_iter().map(|((row, column), &value)| {
            let wave = sine(temperatures.global_of([row, column]), options.size);
            [value * wave, wave * wave]
        });
        let mut sums = waves.fold([0.0, 0.0], |[a, b], [c, d]| [a + c, b + d]);
        co_sum(&mut sums);
        let amplitude = sums[0] / sums[1];
        let time = options.steps as f64 * options.diffusion;
        let rate = |cells: usize| (PI / (cells + 1) as f64).powi(2);
        let known = (-time * (rate(rows) + rate(columns))).exp();
        if this_image() == 0 {
            let error = (amplitude - known).abs() / known;
            println!("amplitude: {amplitude:.9}");
            println!("analytic amplitude: {known:.9}, relative difference {error:.1e}");
        }
    }
}

/// Collective. Writes a picture of the temperatures.
fn write_picture(temperatures: &HaloArray<f64, 2>, options: &Options, path: &Path) {
    let Some(field) = temperatures.gather_global(0) else {
        return;
    };
    let [rows, columns] = options.size;
    let hottest = field.iter().copied().fold(0.0, f64::max);
    let chart = Chart {
        title: &format!("Temperature after {} steps", options.steps),
        across: ("column", "0", &columns.to_string()),
        down: ("row", "0", &rows.to_string()),
        quantity: "temperature",
        range: (0.0, if hottest > 0.0 { hottest } else { 1.0 }),
        colours: &GLOW,
    };
    let value = |row, column| field[[row, column]];
    let canvas = chart.draw(rows, columns, value, |_, _| {});
    let written = canvas.write_png(path);
    written.unwrap_or_else(|error| fail(error));
}
