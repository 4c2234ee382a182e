//! The cyclic automaton without a barrier in its loop: events tell neighbours that a row has arrived or was read.
//!
//! ```text
//! cargo run --release -p coarray-book --example cyclic_events
//! ```

use coarray::prelude::*;
use coarray_book::cyclic;

const SIZE: usize = 240;
const GENERATIONS: usize = 200;
/// Index of a neighbour's row, and of the events about it.
const ABOVE: usize = 0;
const BELOW: usize = 1;

#[coarray::main]
fn main() {
    let (me, images) = (this_image(), num_images());
    let (above, below) = ((me + images - 1) % images, (me + 1) % images);
    assert!(images <= SIZE, "each image needs a row");
    let (begin, end) = (me * SIZE / images, (me + 1) * SIZE / images);
    let rows = end - begin;

    // Private: the band in rows 1 to `rows`, and around it copies of the neighbours' rows.
    let mut old: Vec<[u8; SIZE]> = (begin + SIZE - 1..end + SIZE + 1)
        .map(|row| std::array::from_fn(|column| cyclic::first(1, row % SIZE, column)))
        .collect();
    let mut new = old.clone();
    let mut changed = 0;

    // ANCHOR: exchange
    let mut edges = Coarray::<[[u8; SIZE]; 2]>::zeroed();
    let edges = edges.open();
    let filled = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let free = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());

    free.at(above)[BELOW].post();
    free.at(below)[ABOVE].post();
    for _ in 0..GENERATIONS {
        free[ABOVE].wait();
        edges.at(above)[BELOW].put_from_notify(&old[1], &filled.at(above)[BELOW]);
        free[BELOW].wait();
        edges.at(below)[ABOVE].put_from_notify(&old[rows], &filled.at(below)[ABOVE]);

        filled[ABOVE].wait();
        edges.here()[ABOVE].get_into(&mut old[0]);
        free.at(above)[BELOW].post();
        filled[BELOW].wait();
        edges.here()[BELOW].get_into(&mut old[rows + 1]);
        free.at(below)[ABOVE].post();

        changed = step(&old, &mut new);
        std::mem::swap(&mut old, &mut new);
    }
    // ANCHOR_END: exchange

    // ANCHOR: count
    let mut counts = Coarray::<[usize]>::zeroed(images);
    let counts = counts.open();
    let counted = Coarray::new(Coevent::new());
    counts.at(0)[me].put_notify(changed, counted.at(0));
    if me == 0 {
        counted.wait_for(images as u64);
        let changed: usize = counts.here().to_vec().iter().sum();
        println!(
            "generation {GENERATIONS}: {changed} of {} cells changed",
            SIZE * SIZE
        );
    }
    // ANCHOR_END: count
}

/// The next generation of all rows but the first and the last; returns how many cells changed.
fn step(old: &[[u8; SIZE]], new: &mut [[u8; SIZE]]) -> usize {
    let mut changed = 0;
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
            changed += usize::from(new[row][column] != old[row][column]);
        }
    }
    changed
}
