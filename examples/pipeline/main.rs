//! Blocks of a noisy signal run through a cascade of filters, each image having some of the filters.
//!
//! ```text
//! cargo run --release --example pipeline
//! COARRAY_IMAGES=4 cargo run --release --example pipeline -- --slots 1
//! ```
//!
//! Shows: a pipeline in which neighbours synchronise by events alone. Each image has room for some blocks, so several
//! are in flight at once. One event counts the blocks that have arrived; another, on the image before, counts the free
//! places, so that a fast image waits for a slow one.

mod cascade;

use std::time::Instant;

use coarray::collectives::co_sum_to;
use coarray::prelude::*;

use cascade::{BLOCK, Cascade, signal, sum_of_squares};
use program::command_line::{Long, fail, follow};
use program::memory::afford;

const HELP: &str = "\
Blocks of a noisy signal run through a cascade of filters, each image having some of the filters.

usage: pipeline [--blocks N] [--filters N] [--slots N]

  --blocks N    how many blocks of 256 samples (default: 4000)
  --filters N   how many filters all images have together (default: 24)
  --slots N     for how many blocks an image has room (default: 4)

The last image runs the signal through all filters once more, alone, and compares.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N pipeline ...`.";

#[coarray::main]
fn main() {
    let (mut blocks, mut filters, mut slots) = (4000, 24, 4);
    let goes_on = follow(HELP, |option, arguments| {
        let place = match option {
            Long("blocks") => &mut blocks,
            Long("filters") => &mut filters,
            Long("slots") => &mut slots,
            _ => return Err(option.unexpected()),
        };
        *place = arguments.count(1 << 20)?;
        Ok(())
    });
    if !goes_on {
        return;
    }

    let (me, last) = (this_image(), num_images() - 1);
    // The last image keeps all blocks, to compare them at the end.
    let kept = slots + if me == last { blocks } else { 0 };
    let wanted = format!("--blocks {blocks} --slots {slots}");
    afford(wanted, kept * size_of::<[f64; BLOCK]>());
    let mut own = Cascade::new(filters * (me + 1) / (last + 1) - filters * me / (last + 1));
    let mut inbox = Coarray::<[[f64; BLOCK]]>::zeroed(slots);
    let (arrived, free) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let finished = Coarray::new(Coatomic::new(0)); // counted on image 0
    let inbox = inbox.open();
    (0..slots).for_each(|_| free.post()); // all places of the image behind this one

    let (mut output, mut most_under_way) = (Vec::new(), 0);
    let start = Instant::now();
    for number in 0..blocks {
        let slot = number % slots;
        let mut block = if me == 0 {
            most_under_way = most_under_way.max(number + 1 - finished.at(0).load());
            signal(number)
        } else {
            arrived.wait();
            let block = inbox.here()[slot].get();
            free.at(me - 1).post();
            block
        };
        own.filter(&mut block);
        if me < last {
            free.wait();
            inbox.at(me + 1)[slot].put_notify(block, arrived.at(me + 1));
        } else {
            output.push(block);
            finished.at(0).add(1);
        }
    }
    sync_all();
    let seconds = start.elapsed().as_secs_f64();

    let mut deviations = [0.0, 0.0];
    if me == last {
        let mut all = Cascade::new(filters);
        for (number, block) in output.iter().enumerate() {
            let mut expected = signal(number);
            deviations[0] += sum_of_squares(&expected);
            all.filter(&mut expected);
            if *block != expected {
                fail(format_args!("block {number} is wrong"));
            }
            deviations[1] += sum_of_squares(block);
        }
    }
    co_sum_to(&mut deviations, 0);
    if me == 0 {
        let samples = (blocks * BLOCK) as f64;
        let [before, after] = deviations.map(|sum| (sum / samples).sqrt());
        println!("blocks: {blocks}, each the same as with one image");
        println!(
            "signal: {before:.9} before, {after:.9} after {filters} filters, root mean square"
        );
        println!("under way: {most_under_way} blocks at once, at most");
        println!("rate: {:.2} Msample/s", samples / seconds / 1e6);
    }
}
