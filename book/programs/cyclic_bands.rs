//! The cyclic automaton in bands of rows, one for each image. No image looks beyond its band, so the picture has seams.
//!
//!     COARRAY_IMAGES=4 cargo run --release -p coarray-book --example cyclic_bands -- bands.png

use std::ops::Range;

use coarray::Published;
use coarray::prelude::*;
use coarray_book::{cyclic, picture};

const SIZE: usize = 240;
const GENERATIONS: usize = 200;

// ANCHOR: rows
/// The rows of an image: each row belongs to one image, and the numbers of rows differ by at most 1.
fn rows_of(image: usize) -> Range<usize> {
    image * SIZE / num_images()..(image + 1) * SIZE / num_images()
}
// ANCHOR_END: rows

// ANCHOR: step
fn step(old: &[[u8; SIZE]], new: &mut [[u8; SIZE]]) {
    let rows = old.len();
    for row in 0..rows {
        // ANCHOR: around
        let (above, below) = ((row + rows - 1) % rows, (row + 1) % rows);
        // ANCHOR_END: around
        for column in 0..SIZE {
            let (left, right) = ((column + SIZE - 1) % SIZE, (column + 1) % SIZE);
            let around = [
                old[above][column],
                old[below][column],
                old[row][left],
                old[row][right],
            ];
            new[row][column] = cyclic::next(old[row][column], around);
        }
    }
}
// ANCHOR_END: step

// ANCHOR: collect
/// The bands of all images, one below the other.
fn collect(bands: &Published<[[u8; SIZE]]>) -> Vec<[u8; SIZE]> {
    let band = |image| bands.at(image)[..rows_of(image).len()].to_vec();
    (0..num_images()).flat_map(band).collect()
}
// ANCHOR_END: collect

#[coarray::main]
fn main() -> std::io::Result<()> {
    // ANCHOR: create
    let rows = rows_of(this_image());
    let tallest = SIZE.div_ceil(num_images());
    let mut old = Coarray::<[[u8; SIZE]]>::from_fn(tallest, |row| {
        std::array::from_fn(|column| cyclic::first(1, rows.start + row, column))
    });
    let mut new = Coarray::<[[u8; SIZE]]>::zeroed(tallest);
    // ANCHOR_END: create
    // ANCHOR: run
    for _ in 0..GENERATIONS {
        step(&old[..rows.len()], &mut new[..rows.len()]);
        std::mem::swap(&mut old, &mut new);
    }
    // ANCHOR_END: run

    // Image 0 looks at all bands; the next chapter says how.
    let (old, new) = (old.publish(), new.publish());
    if this_image() == 0 {
        let (cells, before) = (collect(&old), collect(&new));
        let pairs = cells.iter().flatten().zip(before.iter().flatten());
        let changed = pairs.filter(|(now, before)| now != before).count();
        println!(
            "generation {GENERATIONS}: {changed} of {} cells changed",
            SIZE * SIZE
        );
        if let Some(path) = std::env::args_os().nth(1) {
            picture::write_png(path, SIZE, SIZE, |row, column| cells[row][column])?;
        }
    }
    Ok(())
}
