//! Images put the right column of their block beside that of the next image: number by number, or the column at once.
//!
//!     COARRAY_PROFILE=puts COARRAY_IMAGES=4 cargo run --release -p coarray-book --example edges -- numbers

use coarray::prelude::*;

const ROWS: usize = 400;
const COLUMNS: usize = 100;
const STEPS: u64 = 50;

type Block = [[f64; COLUMNS]; ROWS];

// ANCHOR: exchange
/// Puts the last column of this image into the first one of the next.
fn exchange(blocks: &mut Coarray<Block>, at_once: bool) {
    let next = (this_image() + 1) % num_images();
    let edge: Vec<f64> = blocks.iter().map(|row| row[COLUMNS - 2]).collect();
    let blocks = blocks.open();
    if at_once {
        blocks.at(next).column(0).put_from(&edge);
    } else {
        for (row, value) in edge.into_iter().enumerate() {
            blocks.at(next)[row][0].put(value);
        }
    }
}
// ANCHOR_END: exchange

#[coarray::main]
fn main() {
    let at_once = match std::env::args().nth(1).as_deref() {
        Some("numbers") | None => false,
        Some("column") => true,
        Some(other) => panic!("{other}: expected `numbers` or `column`"),
    };
    let mut blocks = Coarray::<Block>::zeroed();
    for step in 0..STEPS {
        blocks[0][COLUMNS - 2] = step as f64;
        exchange(&mut blocks, at_once);
    }
    let arrived = blocks[0][0] == (STEPS - 1) as f64;
    println!(
        "image {}: {}",
        this_image(),
        if arrived {
            "the edge has come"
        } else {
            "it has not"
        }
    );
}
