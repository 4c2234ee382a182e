//! The cyclic automaton without images; every later program must find the same result.

use coarray_book::{cyclic, picture};

const SIZE: usize = 240;
const GENERATIONS: usize = 200;

// ANCHOR: step
type Cells = [[u8; SIZE]; SIZE];
fn step(old: &Cells, new: &mut Cells) {
    for row in 0..SIZE {
        for column in 0..SIZE {
            let at = |down: usize, right: usize| old[(row + down) % SIZE][(column + right) % SIZE];
            let around = [at(SIZE - 1, 0), at(1, 0), at(0, SIZE - 1), at(0, 1)];
            new[row][column] = cyclic::next(at(0, 0), around);
        }
    }
}
// ANCHOR_END: step

fn main() -> std::io::Result<()> {
    let mut old: Box<Cells> = Box::new(std::array::from_fn(|row| {
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
