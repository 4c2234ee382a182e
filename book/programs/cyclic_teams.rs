//! The cyclic automaton with two seeds at once: each team of images computes one, as if it were alone.
//!
//! ```text
//! cargo run --release -p coarray-book --example cyclic_teams
//! ```

use coarray::prelude::*;
use coarray_book::cyclic;

const SIZE: usize = 240;
const GENERATIONS: usize = 200;

type Row = [u8; SIZE];

// ANCHOR: main
#[coarray::main]
fn main() {
    let seeds = num_images().min(2);
    let mut changed = Coarray::<[usize; 2]>::zeroed(); // belongs to the team of all images
    let open = changed.open();
    let index = this_image() % seeds;
    let team = Team::form(index as u64);
    team.change(|| {
        let sum = automaton(1 + index as u64);
        if this_image() == 0 {
            // The first image of this team sends the sum to the first image of all.
            open.at(0)[index].put(sum);
        }
    });
    drop(open);
    if this_image() == 0 {
        let cells = SIZE * SIZE;
        println!(
            "generation {GENERATIONS}: {} of {cells} cells changed",
            changed[0]
        );
        if seeds == 2 {
            println!("with seed 2: {} of {cells} cells changed", changed[1]);
        }
    }
}
// ANCHOR_END: main

// ANCHOR: automaton
/// Collective. How many cells change in the last generation; the images of the current team compute it.
fn automaton(seed: u64) -> usize {
    let (me, images) = (this_image(), num_images());
    let (above, below) = ((me + images - 1) % images, (me + 1) % images);
    let mut old: Vec<Row> = (SIZE * me / images..SIZE * (me + 1) / images)
        .map(|row| std::array::from_fn(|column| cyclic::first(seed, row, column)))
        .collect();
    let mut new = old.clone();
    let mut halo = Coarray::<[Row; 2]>::zeroed(); // belongs to the current team
    let mut changed = 0;
    for _ in 0..GENERATIONS {
        let open = halo.open();
        open.at(above)[1].put_from(&old[0]);
        open.at(below)[0].put_from(&old[old.len() - 1]);
        drop(open);
        changed = 0;
        for (row, new) in new.iter_mut().enumerate() {
            let above = row.checked_sub(1).map_or(&halo[0], |row| &old[row]);
            let below = old.get(row + 1).unwrap_or(&halo[1]);
            changed += follow(new, above, &old[row], below);
        }
        std::mem::swap(&mut old, &mut new);
    }
    co_sum(&mut changed);
    changed
}
// ANCHOR_END: automaton

/// The next generation of a row, from it and the rows above and below; returns how many cells change.
fn follow(new: &mut Row, above: &Row, old: &Row, below: &Row) -> usize {
    for (column, new) in new.iter_mut().enumerate() {
        let (left, right) = ((column + SIZE - 1) % SIZE, (column + 1) % SIZE);
        let around = [above[column], below[column], old[left], old[right]];
        *new = cyclic::next(old[column], around);
    }
    new.iter().zip(old).filter(|(new, old)| new != old).count()
}
