//! A product of two matrices; all three are divided among a grid of images.
//!
//! ```text
//! cargo run --release --example matrix_multiply
//! COARRAY_IMAGES=6 cargo run --release --example matrix_multiply -- --size 1000x700x900
//! ```
//!
//! Shows: teams of the images in a row of the grid, and in a column. In each step some columns of the left matrix
//! travel along the rows of the grid, and the same number of rows of the right matrix along its columns. Every image
//! adds their product to its block (`summa.rs`).
//!
//! The algorithm is that of R. A. van de Geijn and J. Watts, *SUMMA: scalable universal matrix multiplication
//! algorithm*, Concurrency: Practice and Experience 9, 1997.

mod summa;

use std::time::Instant;

use coarray::grid::{Blocks, GridError, HaloArray, ImageGrid};
use coarray::ndarray::Array2;
use coarray::prelude::*;
use program::command_line::{Long, fail, follow, refuse};
use program::memory::afford;
use program::random;

const HELP: &str = "\
A product of two matrices, which are divided among a grid of images.

usage: matrix_multiply [--size MxKxN] [--panel N] [--no-check]

  --size MxKxN   a matrix of M x K elements times one of K x N (default: 768x768x768)
  --panel N      how many columns and rows travel in a step, at most (default: 64)
  --no-check     do not compare with the product that image 0 computes alone, element by element

The elements are small whole numbers, so that the product has no rounding errors.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N matrix_multiply ...`.";

#[coarray::main]
fn main() {
    let (mut size, mut panel, mut is_checked) = ([768; 3], 64, true);
    let goes_on = follow(HELP, |option, arguments| {
        match option {
            Long("size") => size = arguments.extents("MxKxN, such as 500x600x700", 1 << 20)?,
            Long("panel") => panel = arguments.count(usize::MAX)?,
            Long("no-check") => is_checked = false,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }
    multiply(size, panel, is_checked).unwrap_or_else(|error| refuse(error));
}

/// Collective. Multiplies an `m` x `k` matrix by a `k` x `n` matrix, and prints the results.
fn multiply([m, k, n]: [usize; 3], panel: usize, is_checked: bool) -> Result<(), GridError> {
    // Each image must have a part of each matrix.
    let grid = ImageGrid::balanced_for([m.min(k), k.min(n)])?;
    let blocks = |shape| Blocks::new(shape, grid.clone());
    let [a, b, c] = [m * k, k * n, m * n];
    let whole = if is_checked && this_image() == 0 {
        a + b + 2 * c
    } else {
        0
    };
    let wanted = format!("--size {m}x{k}x{n}");
    let elements = (a + b + c) / num_images() + whole;
    afford(wanted, 8 * elements);

    let a = HaloArray::from_fn(&blocks([m, k])?, 0, |at| element(1, at))?;
    let b = HaloArray::from_fn(&blocks([k, n])?, 0, |at| element(2, at))?;
    let mut c = HaloArray::filled(&blocks([m, n])?, 0, 0.0)?;

    sync_all();
    let start = Instant::now();
    summa::add_product(&a, &b, &mut c, panel);
    sync_all();
    let seconds = start.elapsed().as_secs_f64();

    let mut sum = c.interior().sum();
    co_sum(&mut sum);
    if is_checked
        && let (Some(a), Some(b), Some(c)) =
            (a.gather_global(0), b.gather_global(0), c.gather_global(0))
    {
        if c != product(&a, &b) {
            fail("the product is wrong");
        }
        println!("check: all elements are those of the product by one image");
    }
    if this_image() == 0 {
        let [rows, columns] = grid.extents();
        println!("images: {rows} x {columns}");
        println!("sum of all elements: {sum}");
        println!(
            "rate: {:.2} GFlop/s",
            2.0 * (m * k * n) as f64 / seconds / 1e9
        );
    }
    Ok(())
}

/// An element of matrix `number`: a whole number from -8 to 7.
fn element(number: u64, [row, column]: [usize; 2]) -> f64 {
    let bits = random::bits(number, (row as u64) << 32 | column as u64);
    (bits % 16) as f64 - 8.0
}

/// The product by definition, with loops in an order that is easy on the memory.
fn product(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let mut c = Array2::zeros((a.nrows(), b.ncols()));
    for (a, mut c) in a.outer_iter().zip(c.outer_iter_mut()) {
        for (&a, b) in a.iter().zip(b.outer_iter()) {
            c.iter_mut().zip(b).for_each(|(c, b)| *c += a * b);
        }
    }
    c
}
