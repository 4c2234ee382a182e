//! A random permutation of numbers that are divided among the images, by darts.
//!
//! ```text
//! cargo run --release --example permutation
//! cargo run --release --example permutation -- --numbers 10000000
//! ```
//!
//! Shows: two conveyors that feed each other. A board has twice as many fields as there are numbers, and is divided among the images. Each image throws
//! its numbers at random fields, by one conveyor. Whether a dart has hit a field that was free, its owner answers by the other one; if not,
//! the number is thrown again. In the end the numbers, in the order of their fields, are a random permutation.
//!
//! The algorithm is that of *bale*: F. M. Maley and J. G. DeVinney, *Conveyors for Streaming Many-To-Many Communication*, IA3 2019; P. B. Gibbons,
//! Y. Matias and V. Ramachandran, *Efficient low-contention parallel algorithms*, SPAA 1994.

use std::time::Instant;

use coarray::irregular::{Conveyor, wait_any};
use coarray::prelude::*;

use program::command_line::{Long, fail, follow};
use program::memory::afford;
use program::random;

const HELP: &str = "\
A random permutation of numbers that are divided among the images.

usage: permutation [--numbers N] [--seed N]

  --numbers N   how many numbers (default: 1000000)
  --seed N      which random numbers (default: 1)

It checks that each number is there once.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N permutation ...`.";

/// A field that is free.
const FREE: u64 = u64::MAX;

#[coarray::main]
fn main() {
    let (mut numbers, mut seed) = (1_000_000, 1);
    let goes_on = follow(HELP, |option, arguments| {
        match option {
            Long("numbers") => numbers = arguments.count(1 << 40)?,
            Long("seed") => seed = arguments.number("a number", |_| true)?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }

    let own = (this_image()..numbers).step_by(num_images());
    let fields = 2 * numbers.div_ceil(num_images());
    afford(format!("--numbers {numbers}"), 8 * (4 * own.len() + fields));
    let own: Vec<u64> = own.map(|number| number as u64).collect();

    sync_all();
    let start = Instant::now();
    let (permuted, mut throws) = permute(own, fields, seed);
    sync_all();
    let seconds = start.elapsed().as_secs_f64();

    check(&permuted, numbers);
    co_sum(&mut throws);
    if this_image() == 0 {
        println!("numbers: {numbers}, each of them once");
        println!("throws: {:.3} for each", throws as f64 / numbers as f64);
        println!("rate: {:.1} Mnumber/s", numbers as f64 / seconds / 1e6);
    }
}

/// Collective. This image's part of the permutation, and how often it has thrown; `own` are its numbers, and it has so many fields.
fn permute(own: Vec<u64>, fields: usize, seed: u64) -> (Vec<u64>, u64) {
    let mut board = vec![FREE; fields];
    let mut darts = Conveyor::<[u64; 2]>::new(); // a field, and a number
    let mut answers = Conveyor::<[u64; 2]>::beside(&darts); // whether the field was free, and the number
    let (mut thrown, mut answered) = (darts.open(), answers.open());
    let (mut waiting, mut in_flight, mut throws) = (own, 0, 0);
    loop {
        answered.pull_all(|_, [is_hit, number]| {
            in_flight -= 1;
            if is_hit == 0 {
                waiting.push(number);
            }
        });
        while let Some(&number) = waiting.last() {
            // Other darts of this image have other bits.
            let bits = random::bits(seed, throws * num_images() as u64 + this_image() as u64);
            let field = bits % (fields * num_images()) as u64;
            if thrown
                .push(field as usize / fields, [field % fields as u64, number])
                .is_err()
            {
                break;
            }
            waiting.pop();
            in_flight += 1;
            throws += 1;
        }
        if waiting.is_empty() && in_flight == 0 {
            thrown.finish();
        }
        while thrown.pull_if(|source, [field, number]| {
            let field = &mut board[field as usize];
            let is_hit = *field == FREE;
            let is_answered = answered.push(source, [is_hit.into(), number]).is_ok();
            if is_hit && is_answered {
                *field = number;
            }
            is_answered
        }) {}
        if thrown.is_finished() {
            answered.finish();
        }
        if !wait_any(&mut [&mut thrown, &mut answered]) {
            board.retain(|&number| number != FREE);
            return (board, throws);
        }
    }
}

/// Collective. Ends the job unless each number is there once.
fn check(permuted: &[u64], numbers: usize) {
    let images = num_images();
    let mut times = vec![0; numbers.div_ceil(images)];
    let numbers_and_owners = permuted
        .iter()
        .map(|&number| (number as usize % images, number));
    Conveyor::<u64>::new().convey(numbers_and_owners, |_, number| {
        times[number as usize / images] += 1
    });
    let own = (this_image()..numbers).step_by(images).len();
    let mut wrong = times[..own].iter().filter(|&&times| times != 1).count();
    co_sum(&mut wrong);
    if wrong > 0 {
        fail(format_args!("{wrong} numbers are not there once"));
    }
}
