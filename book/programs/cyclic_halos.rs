//! The cyclic automaton in bands with halos: before each generation images put their edge rows to their neighbours.
//!
//!     COARRAY_IMAGES=4 cargo run --release -p coarray-book --example cyclic_halos -- halos.png

use std::ops::Range;

use coarray::prelude::*;
use coarray_book::{cyclic, picture};

const SIZE: usize = 240;
const GENERATIONS: usize = 200;

fn rows_of(image: usize) -> Range<usize> {
    image * SIZE / num_images()..(image + 1) * SIZE / num_images()
}

// ANCHOR: step
/// `old` and `new` have a halo row at both ends.
fn step(old: &[[u8; SIZE]], new: &mut [[u8; SIZE]]) {
    for row in 1..old.len() - 1 {
        for column in 0..SIZE {
            let (left, right) = ((column + SIZE - 1) % SIZE, (column + 1) % SIZE);
            let around = [
                old[row - 1][column],
                old[row + 1][column],
                old[row][left],
                old[row][right],
            ];
            new[row][column] = cyclic::next(old[row][column], around);
        }
    }
}
// ANCHOR_END: step

#[coarray::main]
fn main() -> std::io::Result<()> {
    assert!(num_images() <= SIZE, "each image needs a row");
    // ANCHOR: create
    let (me, images) = (this_image(), num_images());
    let (above, below) = ((me + images - 1) % images, (me + 1) % images);
    let rows = rows_of(me).len();
    // Row 0 is the halo above, row `rows + 1` the halo below.
    let tallest = SIZE.div_ceil(images) + 2;
    let mut old = Coarray::<[[u8; SIZE]]>::zeroed(tallest);
    let mut new = Coarray::<[[u8; SIZE]]>::zeroed(tallest);
    for (row, cells) in rows_of(me).zip(&mut old[1..=rows]) {
        *cells = std::array::from_fn(|column| cyclic::first(1, row, column));
    }
    // ANCHOR_END: create
    for _ in 0..GENERATIONS {
        // ANCHOR: exchange
        let open = old.open();
        open.at(above)[rows_of(above).len() + 1].copy_from(&open.here()[1]);
        open.at(below)[0].copy_from(&open.here()[rows]);
        open.close();
        step(&old[..rows + 2], &mut new[..rows + 2]);
        // ANCHOR_END: exchange
        std::mem::swap(&mut old, &mut new);
    }

    // ANCHOR: report
    let pairs = old[1..=rows]
        .iter()
        .flatten()
        .zip(new[1..=rows].iter().flatten());
    let mut changed = Coarray::new(pairs.filter(|(now, before)| now != before).count());
    let (changed, bands) = (changed.publish(), old.publish());
    if me == 0 {
        let changed: usize = (0..images).map(|image| changed.at(image).get()).sum();
        println!(
            "generation {GENERATIONS}: {changed} of {} cells changed",
            SIZE * SIZE
        );
        if let Some(path) = std::env::args_os().nth(1) {
            let band = |image| bands.at(image)[1..=rows_of(image).len()].to_vec();
            let cells: Vec<[u8; SIZE]> = (0..images).flat_map(band).collect();
            picture::write_png(path, SIZE, SIZE, |row, column| cells[row][column])?;
        }
    }
    // ANCHOR_END: report
    Ok(())
}
