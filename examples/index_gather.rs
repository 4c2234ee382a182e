//! Each image reads entries at random places of a table that is divided among the images.
//!
//! ```text
//! cargo run --release --example index_gather
//! cargo run --release --example index_gather -- --reads 5000000 --entries 1000000
//! ```
//!
//! Shows: irregular access in three ways. A get for each entry is the simplest, and as fast as can be where memory is shared. An
//! aggregator of gets (`Gets`) makes few transfers of them between nodes; the owners do nothing. With two conveyors the images ask the owners, which
//! answer: so an owner can do more than read, such as search or count.
//!
//! The pattern is the index gather of *bale*: F. M. Maley and J. G. DeVinney, *Conveyors for Streaming Many-To-Many Communication*, IA3 2019.

use std::time::Instant;

use coarray::collectives::co_all;
use coarray::irregular::{Conveyor, Gets, wait_any};
use coarray::prelude::*;

use program::command_line::{Long, fail, follow};
use program::memory::afford;
use program::random;

const HELP: &str = "\
Entries at random places of a table that is divided among the images are read.

usage: index_gather [--reads N] [--entries N] [--seed N]

  --reads N     how many entries each image reads (default: 1000000)
  --entries N   how many entries the table has (default: 1000000)
  --seed N      which random numbers (default: 1)

It reads them in three ways, whose results must be the same, and compares the rates.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N index_gather ...`.";

/// A question: which entry of the image, and where its value goes. An answer: the value, and where it goes.
type Pair = [u64; 2];

#[coarray::main]
fn main() {
    let (mut reads, mut entries, mut seed) = (1_000_000, 1_000_000, 1);
    let goes_on = follow(HELP, |option, arguments| {
        match option {
            Long("reads") => reads = arguments.count(1 << 32)?,
            Long("entries") => entries = arguments.count(1 << 40)?,
            Long("seed") => seed = arguments.number("a number", |_| true)?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }

    // Entry 0 is the first of image 0, and so on; the last images may have unused entries.
    let each = entries.div_ceil(num_images());
    let wanted = format!("--entries {entries} --reads {reads}");
    afford(wanted, 8 * (5 * reads + 2 * each));
    let first = this_image() * each;
    let mut table =
        Coarray::<[u64]>::from_fn(each, |index| random::bits(0, (first + index) as u64));
    let number = |read: usize| (this_image() * reads + read) as u64;
    let places: Vec<(usize, usize)> = (0..reads)
        .map(|read| (random::bits(seed, number(read)) % entries as u64) as usize)
        .map(|entry| (entry / each, entry % each))
        .collect();

    let (by_conveyors, conveyors) = timed(reads, |values| ask(&table, &places, values));
    let table = table.publish();
    let (by_gets, gets) = timed(reads, |values| {
        for (value, &(image, index)) in values.iter_mut().zip(&places) {
            *value = table.at(image)[index].get();
        }
    });
    let (by_aggregator, aggregator) = timed(reads, |values| {
        let mut gets = Gets::new(|image| table.at(image));
        for (value, &(image, index)) in values.iter_mut().zip(&places) {
            gets.get(image, index, value);
        }
    });

    if !co_all(by_gets == by_aggregator && by_gets == by_conveyors) {
        fail("the three ways to read differ");
    }
    // A sum of so many would not fit.
    let mut checksum = by_gets.iter().fold(0, |bits, value| bits ^ value);
    co_reduce(&mut checksum, |one, other| one ^ other);
    if this_image() == 0 {
        let rate = |seconds: f64| (reads * num_images()) as f64 / seconds / 1e6;
        println!("reads: {} of {entries} entries", reads * num_images());
        println!("checksum: {checksum:016x}");
        println!("rate of gets: {:.1} Mread/s", rate(gets));
        println!("rate of aggregated gets: {:.1} Mread/s", rate(aggregator));
        println!("rate of conveyors: {:.1} Mread/s", rate(conveyors));
    }
}

/// Collective. Values that `read` fills in, and the time until all images have theirs.
fn timed(reads: usize, read: impl FnOnce(&mut [u64])) -> (Vec<u64>, f64) {
    let mut values = vec![0; reads];
    sync_all();
    let start = Instant::now();
    read(&mut values);
    sync_all();
    (values, start.elapsed().as_secs_f64())
}

/// Collective. Asks the images for the entries at `places`, and answers with those of `table`.
fn ask(table: &[u64], places: &[(usize, usize)], values: &mut [u64]) {
    let mut questions = Conveyor::<Pair>::new();
    let mut answers = Conveyor::<Pair>::beside(&questions);
    let (mut asked, mut answered) = (questions.open(), answers.open());
    let mut next = 0;
    loop {
        while let Some(&(image, index)) = places.get(next) {
            if asked.push(image, [index as u64, next as u64]).is_err() {
                break;
            }
            next += 1;
        }
        if next == places.len() {
            asked.finish();
        }
        // What cannot be answered now stays.
        while asked.pull_if(|source, [index, place]| {
            answered
                .push(source, [table[index as usize], place])
                .is_ok()
        }) {}
        if asked.is_finished() {
            answered.finish();
        }
        answered.pull_all(|_, [value, place]| values[place as usize] = value);
        if !wait_any(&mut [&mut asked, &mut answered]) {
            return;
        }
    }
}
