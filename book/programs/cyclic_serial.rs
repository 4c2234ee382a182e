//! The cyclic automaton without images: what every later program must find, too.

use coarray_book::{cyclic, picture};

const SIZE: usize = 240;
const GENERATIONS: usize = 200;

// ANCHOR: step
fn step(old: &[[u8; SIZE]; SIZE], new: &mut [[u8; SIZE]; SIZE]) {
    for row in 0..SIZE {
        let (above, below) = ((row + SIZE - 1) % SIZE, (row + 1) % SIZE);
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

fn main() -> std::io::Result<()> {
    let mut old: Box<[[u8; SIZE]; SIZE]> = Box::new(std::array::from_fn(|row| {
        std::array::from_fn(|column| cyclic::first(1, row, column))
    }));
    let mut new = old.clone();
    for _ in 0..GENERATIONS {
        step(&old, &mut new);
        std::mem::swap(&mut old, &mut new);
    }
    let cells = old.iter().flatten().zip(new.iter().flatten());
    let changed = cells.filter(|(new, old)| new != old).count();
    println!(
        "generation {GENERATIONS}: {changed} of {} cells changed",
        SIZE * SIZE
    );
    if let Some(path) = std::env::args_os().nth(1) {
        picture::write_png(path, SIZE, SIZE, |row, column| old[row][column])?;
    }
    Ok(())
}
