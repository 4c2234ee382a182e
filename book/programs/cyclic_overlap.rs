//! The cyclic automaton that computes its inner rows while the rows of its neighbours travel.
//!
//! ```text
//! cargo run --release -p coarray-book --example cyclic_overlap
//! ```

use coarray::asynchronous::co_sum_async;
use coarray::prelude::*;
use coarray_book::cyclic;

const SIZE: usize = 240;
const GENERATIONS: usize = 200;

type Row = [u8; SIZE];

// ANCHOR: main
#[coarray::main]
fn main() {
    let (me, images) = (this_image(), num_images());
    let (above, below) = ((me + images - 1) % images, (me + 1) % images);
    let mut old: Vec<Row> = (SIZE * me / images..SIZE * (me + 1) / images)
        .map(|row| std::array::from_fn(|column| cyclic::first(1, row, column)))
        .collect();
    let mut new = old.clone();
    let last = old.len() - 1;
    // First and last row of each image, for even and for odd generations.
    let mut edges = Coarray::<[[Row; 2]; 2]>::zeroed();
    let edges = edges.open();
    let mut changed = 0;
    for generation in 0..GENERATIONS {
        let parity = generation % 2;
        edges.here()[parity][0].put_from(&old[0]);
        edges.here()[parity][1].put_from(&old[last]);
        sync_all();
        let from_above = edges.at(above)[parity][1].get_async();
        let from_below = edges.at(below)[parity][0].get_async();
        changed = inner(&old, &mut new); // meanwhile
        let (above, below) = (from_above.wait(), from_below.wait());
        changed += follow(&mut new[0], &above, &old[0], old.get(1).unwrap_or(&below));
        if last > 0 {
            changed += follow(&mut new[last], &old[last - 1], &old[last], &below);
        }
        std::mem::swap(&mut old, &mut new);
    }
    let changed = co_sum_async(changed);
    drop(edges);
    let changed = changed.wait();
    if me == 0 {
        println!(
            "generation {GENERATIONS}: {changed} of {} cells changed",
            SIZE * SIZE
        );
    }
}

/// All rows but the first and the last: they need no rows of other images. Returns how many cells change.
fn inner(old: &[Row], new: &mut [Row]) -> usize {
    let rows = old.windows(3).zip(&mut new[1..]);
    rows.map(|(old, new)| follow(new, &old[0], &old[1], &old[2]))
        .sum()
}
// ANCHOR_END: main

/// The next generation of a row, from it and the rows above and below; returns how many cells change.
fn follow(new: &mut Row, above: &Row, old: &Row, below: &Row) -> usize {
    for (column, new) in new.iter_mut().enumerate() {
        let (left, right) = ((column + SIZE - 1) % SIZE, (column + 1) % SIZE);
        let around = [above[column], below[column], old[left], old[right]];
        *new = cyclic::next(old[column], around);
    }
    new.iter().zip(old).filter(|(new, old)| new != old).count()
}
