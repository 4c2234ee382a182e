//! The cyclic automaton on a grid of images: blocks instead of bands, and halos that the library exchanges.
//!
//! ```text
//! cargo run --release -p coarray-book --example cyclic_grid -- picture.png
//! ```

use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid};
use coarray::ndarray::{ArrayView2, ArrayViewMut2};
use coarray::prelude::*;
use coarray_book::{cyclic, picture};

const SHAPE: [usize; 2] = [240, 240];
const GENERATIONS: usize = 200;

// ANCHOR: main
#[coarray::main]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grid = ImageGrid::balanced_for(SHAPE)?.with_periodic([true, true]);
    let blocks = Blocks::new(SHAPE, grid)?;
    let first = |[row, column]: [usize; 2]| cyclic::first(1, row, column);
    let mut old = HaloArray::from_fn(&blocks, 1, first)?;
    let mut new = HaloArray::filled(&blocks, 1, 0)?;
    let mut changed = 0;
    for _ in 0..GENERATIONS {
        old.exchange_with(&Exchange::faces());
        changed = follow(old.local(), new.interior_mut());
        std::mem::swap(&mut old, &mut new);
    }
    co_sum(&mut changed);
    if this_image() == 0 {
        println!(
            "generation {GENERATIONS}: {changed} of {} cells changed",
            blocks.cells()
        );
    }
    if let Some(path) = std::env::args_os().nth(1)
        && let Some(cells) = old.gather_global(0)
    {
        picture::write_png(path, SHAPE[0], SHAPE[1], |row, column| cells[[row, column]])?;
    }
    Ok(())
}

/// The next generation of some cells, from them and one row or column around them; returns how many change.
fn follow(old: ArrayView2<u8>, mut new: ArrayViewMut2<u8>) -> usize {
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
        changed += usize::from(*new != cell);
    }
    changed
}
// ANCHOR_END: main
