//! Stencil of the Parallel Research Kernels: each point of a grid adds up a weighted star of its neighbours.
//!
//! ```text
//!         .
//!         .            out[i][j] += sum of weight[k] * (in[i][j+k] - in[i][j-k] + in[i+k][j] - in[i-k][j])
//!     . . o . .                     over k = 1, 2, where weight[k] = 1 / (4 k)
//!         .            and then every element of in is raised by 1
//!         .
//! ```
//!
//! The rows are divided among the images. The star of an image's first and last rows needs two rows of each
//! neighbour: while `in` is published, nobody writes to it, and the neighbours' rows are read where they are. There
//! are no halos to fill and nothing is copied. When the phase has ended, all have read what they need, and every image
//! goes back to writing to its own part.

use std::borrow::Cow;

use coarray::Published;
use coarray::prelude::*;
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, share};

const PROGRAM: Program = Program {
    name: "prk-stencil",
    about: "Stencil of the Parallel Research Kernels on coarrays: a star of radius 2 on a square grid of f64",
    parameters: &[
        Parameter::new(
            "ITERATIONS",
            "how often the stencil is applied, once more to warm up",
            (1, 1_000_000_000),
        ),
        Parameter::new(
            "N",
            "rows and columns of the grid; at least 2 rows for each image",
            (2 * RADIUS + 1, 1 << 20),
        ),
    ],
};

const RADIUS: usize = 2;

/// Points of the star.
const POINTS: usize = 4 * RADIUS + 1;

#[coarray::main]
fn main() {
    let Some([iterations, n]) = PROGRAM.arguments() else {
        return;
    };
    PROGRAM.need(RADIUS, "rows", n);
    describe(&PROGRAM, &[iterations, n]);
    let (out, seconds) = run(iterations, n);
    let inside = (n - 2 * RADIUS).pow(2) as f64;
    let work = (2 * POINTS + 1) as f64 * inside;
    conclude(
        validate(&out, iterations, n),
        (work / 1e6, "MFlops/s"),
        iterations,
        seconds,
    );
}

/// Collective. Applies the stencil once to warm up and then `iterations` times; returns this image's rows of the result,
/// and the time.
fn run(iterations: usize, n: usize) -> (Vec<f64>, f64) {
    let mine = share(n, num_images(), this_image());
    let most = share(n, num_images(), 0).len();
    let mut input = Coarray::<[f64]>::from_fn(most * n, |k| (mine.start + k / n + k % n) as f64);
    let mut out = vec![0.0; mine.len() * n];
    let mut clock = Clock::start();
    for iteration in 0..=iterations {
        if iteration == 1 {
            clock = Clock::start();
        }
        add_stars(&input.publish(), &mut out, n);
        input.iter_mut().for_each(|value| *value += 1.0);
    }
    (out, clock.seconds())
}

/// Adds the stars of all points of this image's rows that have one, to `out`.
fn add_stars(input: &Published<'_, [f64]>, out: &mut [f64], n: usize) {
    let (me, images) = (this_image(), num_images());
    let mine = share(n, images, me);
    let above = (me > 0).then(|| {
        let rows = share(n, images, me - 1).len();
        part(input, me - 1, (rows - RADIUS) * n..rows * n)
    });
    let below = (me + 1 < images).then(|| part(input, me + 1, 0..RADIUS * n));
    let own = &input[..mine.len() * n];
    let rows: Vec<&[f64]> = [above.as_deref(), Some(own), below.as_deref()]
        .into_iter()
        .flatten()
        .flat_map(|values| values.chunks_exact(n))
        .collect();
    // The grid's outermost rows have no stars.
    let first = RADIUS.saturating_sub(mine.start);
    for (rows, out) in rows
        .windows(2 * RADIUS + 1)
        .zip(out.chunks_exact_mut(n).skip(first))
    {
        add_stars_of_row(rows, out);
    }
}

/// Some consecutive values of an image's part: the memory itself, or a copy where that is out of reach.
fn part<'a>(
    values: &'a Published<'_, [f64]>,
    image: usize,
    range: std::ops::Range<usize>,
) -> Cow<'a, [f64]> {
    match values.try_ref(image) {
        Some(theirs) => Cow::Borrowed(&theirs[range]),
        None => Cow::Owned(values.at(image)[range].to_vec()),
    }
}

/// Adds the stars of the points of a row, the middle one of five, to `out`.
fn add_stars_of_row(rows: &[&[f64]], out: &mut [f64]) {
    const NEAR: f64 = 1.0 / 4.0;
    const FAR: f64 = 1.0 / 8.0;
    let inside = out.len() - 2 * RADIUS;
    let out = &mut out[RADIUS..][..inside];
    // All of the same length, which lets the compiler add several points at once.
    let [north2, north, south, south2] = [0, 1, 3, 4].map(|row| &rows[row][RADIUS..][..inside]);
    let [west2, west, east, east2] = [0, 1, 3, 4].map(|column| &rows[RADIUS][column..][..inside]);
    for j in 0..inside {
        out[j] += NEAR * (east[j] - west[j] + (south[j] - north[j]))
            + FAR * (east2[j] - west2[j] + (south2[j] - north2[j]));
    }
}

/// Collective. Checks the mean of all points that have a star: each grew by 2 every time.
fn validate(out: &[f64], iterations: usize, n: usize) -> Result<(), Wrong> {
    let mut sum: f64 = out.iter().map(|value| value.abs()).sum();
    co_sum(&mut sum);
    let inside = (n - 2 * RADIUS).pow(2) as f64;
    let expected = 2.0 * (iterations + 1) as f64;
    check("the mean of the grid", sum / inside, expected, 1e-8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        let (mut out, _) = run(3, 11);
        assert_eq!(validate(&out, 3, 11), Ok(()));
        assert!(validate(&out, 4, 11).is_err());
        if this_image() == num_images() - 1 {
            out[3] += 1e-3;
        }
        assert!(validate(&out, 3, 11).is_err());
    }
}
