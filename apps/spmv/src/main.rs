//! Products of a sparse matrix and vectors, both divided among images.
//!
//! ```text
//! cargo run --release --bin spmv -- --laplacian 128x128x128
//! cargo run --release --bin spmv -- some.mtx --compute eigenvalue
//! ```
//!
//! Shows: rows divided by their nonzeros, not by their number; a plan of the elements that each image needs, made
//! once by a collective; elements that their owners put into a ragged coarray with a notification, while each image
//! multiplies the part that needs no others. Except in inner products, an image waits only for images with which it
//! shares elements.

mod crs;
mod division;
mod halo;
mod laplacian;
mod matrix_market;
mod options;
mod product;
mod solve;

use coarray::collectives::{co_gatherv, co_scatterv};
use coarray::prelude::*;
use program::command_line::{fail, refuse};
use program::memory::afford;
use program::shares::{Clock, Shares};
use program::{output, progress};

use crs::Crs;
use division::Division;
use halo::{Events, Halo, Plan};
use matrix_market::Entries;
use options::{Compute, Options, Source};
use product::{Product, Split};
use solve::{Limits, Outcome};

/// The largest relative difference that rounding explains: the two products add in different orders.
const TOLERANCE_OF_CHECK: f64 = 1e-12;

#[coarray::main]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    let (rows, division) = rows(&options);
    let split = Split::new(&rows, division.of(this_image()));
    let plan = Plan::new(&split.needed, &division);
    describe(&rows, &division, &plan);

    let mut memory = Ragged::from_fn(plan.len(), |_| 0.0);
    let memory = memory.open();
    let events = Events::new();
    let mut product = Product {
        split: &split,
        halo: Halo::new(&plan, &memory, &events),
        overlap: options.overlap,
    };
    if options.check {
        check(&mut product, &division, &options);
    }
    let nonzeros = rows.nonzeros();
    drop(rows);
    let (outcome, shares) = compute(&mut product, &division, &options);
    report(&outcome, &shares, &options, &division, nonzeros);
}

/// Collective. This image's rows, and how all are divided.
fn rows(options: &Options) -> (Crs, Division) {
    if let (0, Some(output)) = (this_image(), &options.output) {
        output::check_writable(output).unwrap_or_else(|error| refuse(error));
    }
    match &options.matrix {
        Source::Laplacian(laplacian) => {
            let whole = Crs::bytes(laplacian.rows(), laplacian.nonzeros());
            // The rows are in memory twice: before and after they are split.
            let bytes = 2 * whole / num_images() + checked(whole, options);
            afford(laplacian, bytes);
            let division = Division::new(laplacian.row_lengths(), num_images());
            (laplacian.matrix(division.of(this_image())), division)
        }
        Source::File(path) => {
            // Image 0 reads, and deals out the rows.
            let read = || matrix_market::read(path).unwrap_or_else(|error| refuse(error));
            let entries = (this_image() == 0).then(read);
            let whole = entries.as_ref().map_or(0, Entries::bytes);
            // All lengths are in memory twice when they are dealt out.
            let lengths = entries.as_ref().map_or(0, |entries| 2 * 8 * entries.rows);
            let bytes = whole + lengths + checked(whole, options);
            afford(path.display(), bytes);
            let matrix = entries.map_or_else(Crs::new, |entries| entries.matrix());
            let lengths = matrix.starts.windows(2).map(|row| row[1] - row[0]);
            let mut division = Division::new(lengths.clone(), num_images());
            co_broadcast(&mut division.starts, 0);
            let (mut lengths_of, mut columns_of, mut values_of) = (vec![], vec![], vec![]);
            if this_image() == 0 {
                let lengths: Vec<usize> = lengths.collect();
                for image in 0..num_images() {
                    let range = division.of(image);
                    let nonzeros = matrix.starts[range.start]..matrix.starts[range.end];
                    lengths_of.push(lengths[range].to_vec());
                    columns_of.push(&matrix.columns[nonzeros.clone()]);
                    values_of.push(&matrix.values[nonzeros]);
                }
            }
            let mut starts = vec![0];
            for length in co_scatterv(&lengths_of, 0) {
                starts.push(starts[starts.len() - 1] + length);
            }
            let columns = co_scatterv(&columns_of, 0);
            let values = co_scatterv(&values_of, 0);
            let rows = Crs {
                starts,
                columns,
                values,
            };
            (rows, division)
        }
    }
}

/// How many more bytes this image needs for the check.
fn checked(whole: usize, options: &Options) -> usize {
    if options.check && this_image() == 0 {
        whole
    } else {
        0
    }
}

/// Collective. Prints the size of the matrix, and how evenly it is divided.
fn describe(rows: &Crs, division: &Division, plan: &Plan) {
    let mut counts = [rows.nonzeros(), plan.len()];
    let mut most = counts;
    co_sum(&mut counts);
    co_max(&mut most);
    if this_image() == 0 {
        let excess = (most[0] * num_images()) as f64 / counts[0].max(1) as f64 - 1.0;
        println!("matrix: {} rows, {} nonzeros", division.rows(), counts[0]);
        println!(
            "division: at most {:.2} % more nonzeros on an image than on average; {} elements travel",
            100.0 * excess.max(0.0),
            counts[1]
        );
    }
}

/// Collective. Computes what the user asked for, and shows progress.
fn compute(product: &mut Product<'_>, division: &Division, options: &Options) -> (Outcome, Shares) {
    let own = division.of(this_image());
    let limits = Limits {
        tolerance: options.tolerance,
        iterations: options.iterations,
    };
    let bar = progress::steps(options.iterations, "iterations", options.quiet);
    let progress = |residual: f64| {
        bar.inc(1);
        bar.set_message(format!("residual {residual:.1e}"));
    };
    let mut y = vec![0.0; own.len()];
    let (outcome, shares) = match options.compute {
        Compute::Solution => {
            product.multiply(&vec![1.0; own.len()], &mut y, &mut Clock::start());
            let mut clock = Clock::start();
            let outcome = solve::solution(product, &y, &limits, &mut clock, progress);
            (outcome.unwrap_or_else(|error| refuse(error)), clock.stop())
        }
        Compute::Eigenvalue => {
            let start =
                own.map(|row| if row % 2 == 0 { 1.0 } else { -0.9 } + (row % 7) as f64 / 50.0);
            let mut clock = Clock::start();
            let outcome =
                solve::eigenvalue(product, start.collect(), &limits, &mut clock, progress);
            (outcome, clock.stop())
        }
        Compute::Product => {
            let x: Vec<f64> = own.map(|row| (row % 10 + 1) as f64).collect();
            let mut clock = Clock::start();
            for _ in 0..options.iterations {
                product.multiply(&x, &mut y, &mut clock);
                bar.inc(1);
            }
            let outcome = Outcome {
                iterations: options.iterations,
                residual: 0.0,
                eigenvalue: None,
                vector: y,
            };
            (outcome, clock.stop())
        }
    };
    bar.finish_and_clear();
    (outcome, shares)
}

/// Collective. Compares a product with one that image 0 computes alone, and ends the job if they differ.
fn check(product: &mut Product<'_>, division: &Division, options: &Options) {
    let element = |row: usize| (row as f64 * 0.7).sin();
    let own = division.of(this_image());
    let mut y = vec![0.0; own.len()];
    let x: Vec<f64> = own.map(element).collect();
    product.multiply(&x, &mut y, &mut Clock::start());
    let parts = co_gatherv(&y, 0);
    if this_image() != 0 {
        return;
    }
    let whole = match &options.matrix {
        Source::Laplacian(laplacian) => laplacian.matrix(0..laplacian.rows()),
        Source::File(path) => {
            let entries = matrix_market::read(path).unwrap_or_else(|error| refuse(error));
            entries.matrix()
        }
    };
    let x: Vec<f64> = (0..whole.rows()).map(element).collect();
    let mut largest: f64 = 0.0;
    for (row, y) in parts.into_iter().flatten().enumerate() {
        let magnitude: f64 = whole
            .row(row)
            .map(|(column, value)| (value * x[column]).abs())
            .sum();
        let error = (y - whole.row_times(row, &x)).abs();
        // A row of zeros has the product 0, exactly.
        largest = largest.max(if error == 0.0 { 0.0 } else { error / magnitude });
    }
    println!("check: the products differ from serial ones by {largest:.1e} of their terms at most");
    if largest > TOLERANCE_OF_CHECK {
        fail("the product is wrong");
    }
}

/// Collective. Prints and writes the results.
fn report(
    outcome: &Outcome,
    shares: &Shares,
    options: &Options,
    division: &Division,
    nonzeros: usize,
) {
    let mut error = outcome
        .vector
        .iter()
        .fold(0.0, |most: f64, x| most.max((x - 1.0).abs()));
    co_max(&mut error);
    let mut operations = 2 * nonzeros * outcome.iterations;
    co_sum(&mut operations);
    if let Some(path) = &options.output {
        let parts = co_gatherv(&outcome.vector, 0);
        if this_image() == 0 {
            matrix_market::write_vector(path, division.rows(), parts.into_iter().flatten())
                .unwrap_or_else(|error| fail(error));
        }
    }
    if this_image() != 0 {
        return;
    }
    println!("products: {}", outcome.iterations);
    if options.compute != Compute::Product {
        println!("residual: {:.2e}", outcome.residual);
    }
    if options.compute == Compute::Solution {
        println!("error: {error:.2e}, of a solution that is 1 everywhere");
    }
    if let Some(eigenvalue) = outcome.eigenvalue {
        println!("eigenvalue: {eigenvalue:.12}");
        if let Source::Laplacian(laplacian) = &options.matrix {
            println!("known eigenvalue: {:.12}", laplacian.largest_eigenvalue());
        }
    }
    let rate = operations as f64 / shares.seconds / 1e9;
    println!("time: {:.4} s", shares.seconds);
    println!("rate: {rate:.3} GFlop/s in products, other operations not counted");
    println!("{shares}");
}
