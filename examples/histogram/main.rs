//! The speeds of molecules are counted in bins that are divided among images: any image adds to any bin.
//!
//! ```text
//! cargo run --release --example histogram -- --plot speeds.svg
//! cargo run --release --example histogram -- --bins 1000000
//! ```
//!
//! Shows: atomic additions to the memory of other images, and two alternatives. A conveyor takes the numbers of bins to the images that have these, in
//! packets: no more memory on more images, and no atomic operations. Or each image has its own bins, and
//! a collective sum adds them up, which is faster as long as there are few bins.
//!
//! The gas has two dimensions, for then the integral of Maxwell's distribution is known: exp(-v^2 / 2) of the molecules
//! are faster than v, in units of the most frequent speed.

mod plot;

use std::time::Instant;

use coarray::collectives::co_all;
use coarray::irregular::Conveyor;
use coarray::prelude::*;

use program::command_line::{Long, fail, follow, refuse};
use program::memory::afford;
use program::{output, random};

const HELP: &str = "\
The speeds of molecules of a gas are counted in bins that are divided among images.

usage: histogram [--molecules N] [--bins N] [--seed N] [--plot FILE.svg]

  --molecules N     how many (default: 10000000)
  --bins N          how many bins (default: 100)
  --seed N          which random numbers (default: 1)
  --plot FILE.svg   draw the histogram, and what it should be

It counts in three ways, whose results must be the same, and compares them with theory and the rates with
each other.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N histogram ...`.";

/// The highest speed of the bins. The last one has all molecules that are faster, too: one in 270000.
const HIGHEST: f64 = 5.0;

#[coarray::main]
fn main() {
    let (mut molecules, mut bins, mut seed, mut plot) = (10_000_000, 100, 1, None);
    let goes_on = follow(HELP, |option, arguments| {
        match option {
            Long("molecules") => molecules = arguments.count(1 << 40)?,
            Long("bins") => bins = arguments.count(1 << 24)?,
            Long("seed") => seed = arguments.number("a number", |_| true)?,
            Long("plot") => plot = Some(arguments.path()?),
            _ => return Err(option.unexpected()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }
    if let (0, Some(path)) = (this_image(), &plot) {
        output::check_writable(path).unwrap_or_else(|error| refuse(error));
    }

    // Bin 0 is the first of image 0, and so on; the last images may have unused bins.
    let each = bins.div_ceil(num_images());
    let own = (this_image()..molecules).step_by(num_images());
    let wanted = format!("--molecules {molecules} --bins {bins}");
    afford(wanted, 8 * (own.len() + 2 * each + bins));
    let speeds: Vec<f64> = own.map(|molecule| speed(seed, molecule)).collect();
    let bin_of = |speed: f64| ((speed / HIGHEST * bins as f64) as usize).min(bins - 1);

    let divided = Coarray::<[Coatomic<u64>]>::from_fn(each, |_| Coatomic::new(0));
    sync_all();
    let start = Instant::now();
    for &speed in &speeds {
        let bin = bin_of(speed);
        divided.at(bin / each)[bin % each].add(1);
    }
    sync_all();
    let by_atomics = start.elapsed().as_secs_f64();

    let mut conveyed = vec![0u64; each];
    let mut conveyor = Conveyor::<u32>::new();
    sync_all();
    let start = Instant::now();
    let items = speeds.iter().map(|&speed| {
        let bin = bin_of(speed);
        (bin / each, (bin % each) as u32)
    });
    conveyor.convey(items, |_, bin| conveyed[bin as usize] += 1);
    sync_all();
    let by_conveyor = start.elapsed().as_secs_f64();

    let mut counts = vec![0u64; bins];
    sync_all();
    let start = Instant::now();
    for &speed in &speeds {
        counts[bin_of(speed)] += 1;
    }
    co_sum(&mut counts);
    let by_sum = start.elapsed().as_secs_f64();

    let first = this_image() * each;
    let are_same = (first..bins)
        .zip(divided.iter().zip(&conveyed))
        .all(|(bin, (count, conveyed))| count.load() == counts[bin] && *conveyed == counts[bin]);
    if !co_all(are_same) {
        fail("the three ways to count differ");
    }
    if this_image() == 0 {
        let rate = |seconds: f64| molecules as f64 / seconds / 1e6;
        println!("molecules: {} in {bins} bins", counts.iter().sum::<u64>());
        println!("most frequent speed: {:.4}", plot::most_frequent(&counts));
        println!(
            "chi-square: {:.2}, {} degrees of freedom",
            plot::chi_square(&counts),
            bins - 1
        );
        println!("rate of atomics: {:.1} Mmolecule/s", rate(by_atomics));
        println!("rate of a conveyor: {:.1} Mmolecule/s", rate(by_conveyor));
        println!(
            "rate of bins for each image and a sum: {:.1} Mmolecule/s",
            rate(by_sum)
        );
        if let Some(path) = &plot {
            plot::write(&counts, path).unwrap_or_else(|error| fail(error));
        }
    }
}

/// The speed of a molecule.
fn speed(seed: u64, molecule: usize) -> f64 {
    // Above 0, and at most 1.
    let share = ((random::bits(seed, molecule as u64) >> 11) + 1) as f64 / (1u64 << 53) as f64;
    (-2.0 * share.ln()).sqrt()
}
