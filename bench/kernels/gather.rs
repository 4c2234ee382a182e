//! The index gather of *bale*: how fast the images together read entries at random places of a table that is divided among them.
//!
//! ```text
//! values[k] = table[index mod images of the image][index / images]        for as many random numbers, a part on each image
//! ```
//!
//! Each image asks the images that have the entries, and they answer: by two conveyors, which make progress together.

use coarray::irregular::{Conveyor, wait_any};
use coarray::prelude::*;
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, share};
use program::random;

const PROGRAM: Program = Program {
    name: "bale-gather",
    about: "Index gather of bale on coarrays: reads of a table at random",
    parameters: &[
        Parameter::new("READS", "reads of all images together", (1, 1 << 32)),
        Parameter::new(
            "ENTRIES",
            "entries of the table on each image",
            (1, 1 << 31),
        ),
    ],
};

/// A question: which entry, and where its value goes. An answer: the value, and where it goes.
type Pair = [u64; 2];

#[coarray::main]
fn main() {
    let Some([reads, entries]) = PROGRAM.arguments() else {
        return;
    };
    describe(&PROGRAM, &[reads, entries]);
    let (verdict, seconds) = run(reads, entries);
    conclude(verdict, (reads as f64 / 1e6, "Mreads/s"), 1, seconds);
}

/// Where the entries are that this image reads.
fn places(reads: usize, entries: usize) -> Vec<(u32, u32)> {
    let images = num_images();
    let place = |number: usize| {
        let index = random::bits(1, number as u64) as usize % (images * entries);
        ((index % images) as u32, (index / images) as u32)
    };
    share(reads, images, this_image()).map(place).collect()
}

/// The value of an entry.
fn value(image: usize, index: usize) -> u64 {
    random::bits(index as u64, image as u64)
}

/// Collective. Reads entries of a new table; returns whether they were right, and the time.
fn run(reads: usize, entries: usize) -> (Result<(), Wrong>, f64) {
    let table: Vec<u64> = (0..entries)
        .map(|index| value(this_image(), index))
        .collect();
    let places = places(reads, entries);
    let mut values = vec![0; places.len()];
    let mut questions = Conveyor::<Pair>::new();
    let mut answers = Conveyor::<Pair>::beside(&questions);
    let clock = Clock::start();
    gather(&mut questions, &mut answers, &table, &places, &mut values);
    let seconds = clock.seconds();
    (validate(&places, &values), seconds)
}

/// Collective. Reads the entries at `places` of the table of which `table` is this image's part.
fn gather(
    questions: &mut Conveyor<Pair>,
    answers: &mut Conveyor<Pair>,
    table: &[u64],
    places: &[(u32, u32)],
    values: &mut [u64],
) {
    let (mut asked, mut answered) = (questions.open(), answers.open());
    let mut next = 0;
    loop {
        while let Some(&(image, index)) = places.get(next) {
            if asked
                .push(image as usize, [index.into(), next as u64])
                .is_err()
            {
                break;
            }
            next += 1;
        }
        if next == places.len() {
            asked.finish();
        }
        while asked.pull_if(|source, [index, place]| {
            answered
                .push(source, [table[index as usize], place])
                .is_ok()
        }) {}
        if asked.is_finished() {
            answered.finish();
        }
        while let Some((_, [value, place])) = answered.pull() {
            values[place as usize] = value;
        }
        if !wait_any(&mut [&mut asked, &mut answered]) {
            return;
        }
    }
}

/// Collective. Counts the values that are not those of their entries.
fn validate(places: &[(u32, u32)], values: &[u64]) -> Result<(), Wrong> {
    let is_wrong = |(&(image, index), &found): (&(u32, u32), &u64)| {
        found != value(image as usize, index as usize)
    };
    let mut wrong = places
        .iter()
        .zip(values)
        .filter(|&pair| is_wrong(pair))
        .count();
    co_sum(&mut wrong);
    check("the number of wrong values", wrong as f64, 0.0, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        assert_eq!(run(1000, 7).0, Ok(()));
        assert!(validate(&[(0, 0)], &[value(0, 0) + 1]).is_err());
    }
}
