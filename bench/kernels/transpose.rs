//! Transpose of the Parallel Research Kernels: adds a transposed matrix to another, both spread over the images.
//!
//! ```text
//! b[j][i] += a[i][j], then every element of a is raised by 1
//! ```
//!
//! Each image has some columns of both matrices, each column in one piece. The rows of `a` that become
//! the image's columns of `b` are spread over all images: while `a` is published, every image reads its block of every
//! other image where it is, in tiles that fit into the cache, and nothing is packed, sent or unpacked. The images
//! begin with different partners, so that no memory is wanted by all at once.

use std::borrow::Cow;
use std::ops::Range;

use coarray::Published;
use coarray::prelude::*;
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, share};

const PROGRAM: Program = Program {
    name: "prk-transpose",
    about: "Transpose of the Parallel Research Kernels on coarrays: B += A^T, A += 1",
    parameters: &[
        Parameter::new(
            "ITERATIONS",
            "how often the matrix is transposed, once more to warm up",
            (1, 1_000_000),
        ),
        Parameter::new(
            "ORDER",
            "rows and columns of the matrices; at least 1 for each image",
            (1, 1 << 20),
        ),
        Parameter::new(
            "TILE",
            "rows and columns of the tiles in which blocks are read",
            (1, 1 << 20),
        )
        .or(32),
    ],
};

#[coarray::main]
fn main() {
    let Some([iterations, order, tile]) = PROGRAM.arguments() else {
        return;
    };
    PROGRAM.need(1, "columns", order);
    describe(&PROGRAM, &[iterations, order, tile]);
    let (b, seconds) = run(iterations, order, tile);
    let work = (2 * size_of::<f64>() * order * order) as f64;
    conclude(
        validate(&b, iterations, order),
        (work / 1e6, "MB/s"),
        iterations,
        seconds,
    );
}

/// Collective. Transposes once to warm up and then `iterations` times; returns this image's columns of `b`, and the
/// time.
fn run(iterations: usize, order: usize, tile: usize) -> (Vec<f64>, f64) {
    let mine = share(order, num_images(), this_image());
    let most = share(order, num_images(), 0).len();
    let mut a = Coarray::<[f64]>::from_fn(most * order, |k| (mine.start * order + k) as f64);
    let mut b = vec![0.0; mine.len() * order];
    let mut clock = Clock::start();
    for iteration in 0..=iterations {
        if iteration == 1 {
            clock = Clock::start();
        }
        add_blocks(&a.publish(), &mut b, order, tile);
        a.iter_mut().for_each(|value| *value += 1.0);
    }
    (b, clock.seconds())
}

/// Adds all images' blocks to this image's columns of `b`.
fn add_blocks(a: &Published<'_, [f64]>, b: &mut [f64], order: usize, tile: usize) {
    let (me, images) = (this_image(), num_images());
    let mine = share(order, images, me);
    for step in 0..images {
        let partner = (me + step) % images;
        let theirs = share(order, images, partner);
        let a = columns(a, partner, theirs.len() * order);
        for from in tiles(theirs.len(), tile) {
            for to in tiles(mine.len(), tile) {
                for j in to {
                    // Element `mine.start + j` of the partner's column `i` belongs to `theirs.start + i` of our column `j`.
                    let b = &mut b[j * order + theirs.start..][from.clone()];
                    for (b, i) in b.iter_mut().zip(from.clone()) {
                        *b += a[i * order + mine.start + j];
                    }
                }
            }
        }
    }
}

/// Divides so many rows or columns into tiles.
fn tiles(length: usize, tile: usize) -> impl Iterator<Item = Range<usize>> {
    (0..length)
        .step_by(tile)
        .map(move |start| start..length.min(start.saturating_add(tile)))
}

/// An image's columns of `a`: the memory itself, or a copy where that is out of reach.
fn columns<'a>(a: &'a Published<'_, [f64]>, image: usize, length: usize) -> Cow<'a, [f64]> {
    match a.try_ref(image) {
        Some(theirs) => Cow::Borrowed(&theirs[..length]),
        None => Cow::Owned(a.at(image)[..length].to_vec()),
    }
}

/// Collective. Checks every element of `b`.
fn validate(b: &[f64], iterations: usize, order: usize) -> Result<(), Wrong> {
    let mine = share(order, num_images(), this_image());
    let (times, raised) = (iterations + 1, (iterations * (iterations + 1) / 2) as f64);
    let mut error = 0.0;
    for (column, b) in mine.zip(b.chunks_exact(order)) {
        for (row, value) in b.iter().enumerate() {
            let expected = ((order * row + column) * times) as f64 + raised;
            error += (value - expected).abs();
        }
    }
    co_sum(&mut error);
    check("the sum of all errors", error, 0.0, 1e-8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        for tile in [1, 3, 50] {
            let (mut b, _) = run(3, 13, tile);
            assert_eq!(validate(&b, 3, 13), Ok(()));
            assert!(validate(&b, 2, 13).is_err());
            if this_image() == 0 {
                b.swap(3, 4);
            }
            assert!(validate(&b, 3, 13).is_err());
        }
    }
}
