//! Pi, from random points in a square: how many of them are in the quarter of a circle?
//!
//! ```text
//! cargo run --release --example pi
//! cargo run --release --example pi -- --points 10000000000 --seed 2
//! ```
//!
//! Shows: random numbers that are functions of a point's number, so that the result is the same to the last digit on
//! any number of images; and a collective sum.

use std::f64::consts::PI;
use std::time::Instant;

use coarray::prelude::*;
use program::command_line::{Long, follow};
use program::random;

const HELP: &str = "\
Pi, from random points in a square: the share of them that is in the quarter of a circle.

usage: pi [--points N] [--seed N]

  --points N   how many points (default: 200000000)
  --seed N     which random numbers (default: 1)

It compares the error with the statistical error: the standard deviation of the result over all seeds.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N pi ...`.";

#[coarray::main]
fn main() {
    let (mut points, mut seed) = (200_000_000, 1);
    let goes_on = follow(HELP, |option, arguments| {
        match option {
            Long("points") => points = arguments.count(1 << 52)?,
            Long("seed") => seed = arguments.number("a number", |_| true)?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }

    let start = Instant::now();
    let first_of = |image: usize| (points as u128 * image as u128 / num_images() as u128) as u64;
    let own = first_of(this_image())..first_of(this_image() + 1);
    let mut inside = own.filter(|&point| is_inside(seed, point)).count();
    co_sum(&mut inside);
    let seconds = start.elapsed().as_secs_f64();

    if this_image() == 0 {
        let found = 4.0 * inside as f64 / points as f64;
        let error = (found - PI).abs();
        // Each point is inside or not: 4 times the deviation of a mean of zeros and ones.
        let statistical = (PI * (4.0 - PI) / points as f64).sqrt();
        println!("points: {points}, {inside} of them inside");
        println!("pi: {found:.12}");
        println!("error: {error:.3e}");
        println!(
            "statistical error: {statistical:.3e}, of which that is {:.2}",
            error / statistical
        );
        println!("rate: {:.0} Mpoint/s", points as f64 / seconds / 1e6);
    }
}

/// Whether a point is less than 1 away from the origin.
fn is_inside(seed: u64, point: u64) -> bool {
    let bits = random::bits(seed, point);
    // The coordinates are multiples of 2^-32, so the sum of the squares is at least 1 if it does not fit 64 bits.
    let (x, y) = (bits >> 32, bits & 0xffff_ffff);
    (x * x).checked_add(y * y).is_some()
}
