//! The cyclic automaton as a full program: options, files, pictures, checkpoints.
//!
//! ```text
//! cargo run --release -p coarray-book --example cyclic -- --size 480x480 --generations 1000 --png spirals.png
//! ```

mod options;

use std::error::Error;
use std::path::Path;

use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid};
use coarray::ndarray::{ArrayView2, ArrayViewMut2};
use coarray::{error_stop_with, prelude::*};
use coarray_book::{cyclic, picture};
use coarray_io::{Checkpoint, ErrorKind, Vti, write_npy};
use options::Options;

// ANCHOR: main
#[coarray::main]
fn main() {
    if let Some(options) = Options::from_command_line() {
        compute(&options).unwrap_or_else(|why| refuse(why));
    }
}

/// Ends the job because of the user's input, or because of a file.
fn refuse(why: impl std::fmt::Display) -> ! {
    error_stop_with(2, format_args!("cyclic: {why}"))
}
// ANCHOR_END: main

// ANCHOR: compute
fn compute(options: &Options) -> Result<(), Box<dyn Error>> {
    let grid = ImageGrid::balanced_for(options.size)?.with_periodic([true, true]);
    let blocks = Blocks::new(options.size, grid)?;
    let first = |[row, column]: [usize; 2]| cyclic::first(options.seed, row, column);
    let mut old = HaloArray::from_fn(&blocks, 1, first)?;
    let mut new = HaloArray::filled(&blocks, 1, 0)?;
    let tell = |what: &str, generation: u64| {
        if this_image() == 0 && !options.quiet {
            eprintln!("cyclic: {what} generation {generation}");
        }
    };

    let (mut generation, mut changed) = (0, 0);
    if let Some(folder) = &options.checkpoint
        && let Some(saved) = resume(folder, options, &mut old)?
    {
        (generation, changed) = saved;
        tell("goes on from", generation);
    }
    while generation < options.generations {
        old.exchange_with(&Exchange::faces());
        changed = follow(old.local(), new.interior_mut());
        std::mem::swap(&mut old, &mut new);
        generation += 1;
        if generation % options.every == 0 || generation == options.generations {
            tell("has computed", generation);
            if let Some(folder) = &options.checkpoint {
                save(folder, options.seed, generation, changed, &old)?;
            }
        }
    }

    co_sum(&mut changed);
    if this_image() == 0 {
        let cells = blocks.cells();
        println!("generation {generation}: {changed} of {cells} cells changed");
    }
    write(options, &old)
}
// ANCHOR_END: compute

// ANCHOR: checkpoint
/// Collective. Saves a checkpoint; `changed` is this image's share of the cells that changed.
fn save(
    folder: &Path,
    seed: u64,
    generation: u64,
    mut changed: u64,
    cells: &HaloArray<u8, 2>,
) -> Result<(), Box<dyn Error>> {
    co_sum(&mut changed);
    let checkpoint = Checkpoint::new(folder).field("cells", cells);
    let checkpoint = checkpoint
        .value("seed", seed)
        .value("generation", generation);
    checkpoint.value("changed", changed).save()?;
    Ok(())
}

/// Collective. Fills the cells from the newest checkpoint; returns its generation and this image's share of the cells
/// that changed. Nothing if there is no checkpoint.
fn resume(
    folder: &Path,
    options: &Options,
    cells: &mut HaloArray<u8, 2>,
) -> Result<Option<(u64, u64)>, Box<dyn Error>> {
    let saved = match Checkpoint::open(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        saved => saved?,
    };
    let (seed, generation): (u64, u64) = (saved.value("seed")?, saved.value("generation")?);
    if seed != options.seed || generation > options.generations {
        let path = saved.path().display();
        return Err(format!("{path} is of seed {seed} and generation {generation}").into());
    }
    saved.read("cells", cells)?;
    // The shares will be added up again.
    let changed = match this_image() {
        0 => saved.value("changed")?,
        _ => 0,
    };
    Ok(Some((generation, changed)))
}
// ANCHOR_END: checkpoint

// ANCHOR: write
/// Collective. Writes the files that are asked for.
fn write(options: &Options, cells: &HaloArray<u8, 2>) -> Result<(), Box<dyn Error>> {
    if let Some(path) = &options.npy {
        write_npy(path, cells)?;
    }
    if let Some(path) = &options.vti {
        Vti::new().field("state", cells).write(path)?;
    }
    if let Some(path) = &options.png
        && let Some(whole) = cells.gather_global(0)
    {
        let (rows, columns) = whole.dim();
        picture::write_png(path, rows, columns, |row, column| whole[[row, column]])
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
// ANCHOR_END: write

/// The next generation of some cells, from them and one row or column around them; returns how many change.
fn follow(old: ArrayView2<u8>, mut new: ArrayViewMut2<u8>) -> u64 {
    let mut changed = 0;
    for ((row, column), new) in new.indexed_iter_mut() {
        let cell = old[[row + 1, column + 1]];
        let around = [
            old[[row, column + 1]],
            old[[row + 2, column + 1]],
            old[[row + 1, column]],
            old[[row + 1, column + 2]],
        ];
        *new = cyclic::next(cell, around);
        changed += u64::from(*new != cell);
    }
    changed
}
