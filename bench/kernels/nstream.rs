//! Nstream of the Parallel Research Kernels: how fast the images together stream through their memory.
//!
//! ```text
//! a[i] += b[i] + 3 c[i]
//! ```
//!
//! Nothing is communicated but the time. The three vectors lie one after the other in a coarray, that is in
//! memory that other images could reach: while it is closed, as here, it is plain memory to its own image, and the
//! loop below is compiled as it would be for any other slices.

use coarray::prelude::*;
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, share};

const PROGRAM: Program = Program {
    name: "prk-nstream",
    about: "Nstream of the Parallel Research Kernels on coarrays: a += b + 3 c",
    parameters: &[
        Parameter::new(
            "ITERATIONS",
            "how often the vectors are gone through, once more to warm up",
            (1, 1_000_000_000),
        ),
        Parameter::new(
            "LENGTH",
            "numbers in each vector, on all images together; at least 1 for each image",
            (1, 1 << 40),
        ),
        Parameter::new(
            "OFFSET",
            "unused numbers between one vector and the next",
            (0, 1 << 30),
        )
        .or(0),
    ],
};

const SCALAR: f64 = 3.0;

/// What all elements of `b` and `c` are.
const B_AND_C: f64 = 2.0;

#[coarray::main]
fn main() {
    let Some([iterations, length, offset]) = PROGRAM.arguments() else {
        return;
    };
    PROGRAM.need(1, "numbers", length);
    describe(&PROGRAM, &[iterations, length, offset]);
    let (vectors, seconds) = run(iterations, length, offset);
    let a = &vectors[..share(length, num_images(), this_image()).len()];
    // Three numbers are read and one is written.
    let work = (4 * size_of::<f64>() * length) as f64;
    conclude(
        validate(a, iterations, length),
        (work / 1e6, "MB/s"),
        iterations,
        seconds,
    );
}

/// Collective. Goes through the vectors once to warm up and then `iterations` times; returns them, and the time.
fn run(iterations: usize, length: usize, offset: usize) -> (Coarray<[f64]>, f64) {
    let mine = share(length, num_images(), this_image()).len();
    let most = share(length, num_images(), 0).len();
    let distance = most + offset;
    let mut vectors = Coarray::<[f64]>::from_fn(2 * distance + most, |index| {
        if index < distance { 0.0 } else { B_AND_C }
    });
    let (a, rest) = vectors.split_at_mut(distance);
    let (b, c) = rest.split_at(distance);
    let (a, b, c) = (&mut a[..mine], &b[..mine], &c[..mine]);

    let mut clock = Clock::start();
    for iteration in 0..=iterations {
        if iteration == 1 {
            clock = Clock::start();
        }
        for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
            *a += b + SCALAR * c;
        }
    }
    let seconds = clock.seconds();
    (vectors, seconds)
}

/// Collective. Checks the sum of all images' parts of `a`.
fn validate(a: &[f64], iterations: usize, length: usize) -> Result<(), Wrong> {
    let mut sum: f64 = a.iter().map(|value| value.abs()).sum();
    co_sum(&mut sum);
    let each = (iterations + 1) as f64 * (B_AND_C + SCALAR * B_AND_C);
    let expected = each * length as f64;
    check("the sum of a", sum, expected, 1e-8 * expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        let (mut vectors, _) = run(3, 41, 5);
        let a = &mut vectors[..share(41, num_images(), this_image()).len()];
        assert_eq!(validate(a, 3, 41), Ok(()));
        assert!(validate(a, 2, 41).is_err());
        if this_image() == 0 {
            a[4] = f64::NAN;
        }
        assert!(validate(a, 3, 41).is_err());
    }
}
