//! The cyclic automaton goes on from its checkpoint when an image is killed.
//!
//! ```text
//! cargo run --release -p coarray-book --example cyclic_survivor
//! ```
//!
//! The last image is killed in generation 130. Checkpoints are in the folder `cyclic_survivor.checkpoints`.

use coarray::collectives::try_co_sum;
use coarray::error_stop_with;
use coarray::failure::{ImageFailed, try_sync_all};
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use coarray_book::cyclic;
use coarray_io::{Checkpoint, Error, ErrorKind};

const SIZE: usize = 240;
const GENERATIONS: usize = 200;
const FOLDER: &str = "cyclic_survivor.checkpoints";

type Row = [u8; SIZE];

// ANCHOR: main
#[coarray::main(keep_going)]
fn main() {
    let all = num_images();
    let doomed = all > 1 && this_image() == all - 1;
    loop {
        let team = Team::form_survivors(1);
        if let Ok(Ok(changed)) = team.try_change(|| automaton(all, doomed)) {
            if team.this_image() == 0 {
                println!(
                    "generation {GENERATIONS}: {changed} of {} cells changed",
                    SIZE * SIZE
                );
                std::fs::remove_dir_all(FOLDER).unwrap_or_else(|error| stop(error));
            }
            return;
        }
    }
}
// ANCHOR_END: main

// ANCHOR: automaton
/// Collective. How many cells change in the last generation; the images of the current team compute it from the newest
/// checkpoint on.
fn automaton(all: usize, doomed: bool) -> Result<usize, ImageFailed> {
    let (me, images) = (this_image(), num_images());
    let (above, below) = ((me + images - 1) % images, (me + 1) % images);
    let blocks = ImageGrid::new([images, 1]).and_then(|grid| Blocks::new([SIZE, SIZE], grid));
    let blocks = blocks.unwrap_or_else(|error| stop(error));
    let first = |[row, column]: [usize; 2]| cyclic::first(1, row, column);
    let mut old = HaloArray::from_fn(&blocks, 0, first).unwrap_or_else(|error| stop(error));
    let mut new = HaloArray::filled(&blocks, 0, 0).unwrap_or_else(|error| stop(error));
    let start = resume(&mut old).unwrap_or_else(|error| stop(error));
    if me == 0 && images < all {
        println!("generation {start}: {images} of {all} images go on");
    }
    // For even and for odd generations, the rows above and below the rows of each image.
    let mut halo = Coarray::<[[Row; 2]; 2]>::zeroed();
    let halo = halo.try_open()?;
    let mut changed = 0;
    for generation in start..GENERATIONS {
        if generation % 50 == 0 {
            let checkpoint = Checkpoint::new(FOLDER).field("cells", &old);
            let saved = checkpoint.value("generation", generation).save();
            saved.unwrap_or_else(|error| stop(error));
        }
        if doomed && generation == 130 {
            die();
        }
        let parity = generation % 2;
        let rows = rows(old.interior().to_slice());
        halo.at(above)[parity][1].put_from(&rows[0]);
        halo.at(below)[parity][0].put_from(&rows[rows.len() - 1]);
        try_sync_all()?;
        let [above, below] = halo.here()[parity].get();
        changed = 0;
        let cells = new.interior_mut().into_slice();
        let cells = cells.expect("a block without halo is one piece");
        for (row, new) in cells.as_chunks_mut().0.iter_mut().enumerate() {
            let above = row.checked_sub(1).map_or(&above, |row| &rows[row]);
            let below = rows.get(row + 1).unwrap_or(&below);
            changed += follow(new, above, &rows[row], below);
        }
        std::mem::swap(&mut old, &mut new);
    }
    try_co_sum(&mut changed)?;
    Ok(changed)
}
// ANCHOR_END: automaton

/// Collective. Fills the cells from the newest checkpoint, if there is one; returns its generation.
fn resume(cells: &mut HaloArray<u8, 2>) -> Result<usize, Error> {
    match Checkpoint::open(FOLDER) {
        Ok(saved) => {
            saved.read("cells", cells)?;
            saved.value("generation")
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

fn rows(cells: Option<&[u8]>) -> &[Row] {
    let cells = cells.expect("a block without halo is one piece");
    cells.as_chunks().0
}

/// The next generation of a row, from it and the rows above and below; returns how many cells change.
fn follow(new: &mut Row, above: &Row, old: &Row, below: &Row) -> usize {
    for (column, new) in new.iter_mut().enumerate() {
        let (left, right) = ((column + SIZE - 1) % SIZE, (column + 1) % SIZE);
        let around = [above[column], below[column], old[left], old[right]];
        *new = cyclic::next(old[column], around);
    }
    new.iter().zip(old).filter(|(new, old)| new != old).count()
}

/// Kills this image as an operating system without memory would: it has no chance to say anything.
fn die() {
    let me = std::process::id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-KILL", &me])
        .status();
    stop(format_args!("still alive after kill -KILL: {killed:?}"));
}

fn stop(why: impl std::fmt::Display) -> ! {
    error_stop_with(1, format_args!("cyclic_survivor: {why}"))
}
