//! Keys are sorted: at the end image 0 has the smallest, and the keys of each image follow those of the image before.
//!
//! ```text
//! cargo run --release --example sample_sort
//! cargo run --release --example sample_sort -- --keys 1000000 --distinct 3 --uneven
//! ```
//!
//! Shows: collectives of unequal lengths. Each image sorts its own keys and sends a sample of them to all. From the
//! samples all compute where the keys of each image begin and end (`split.rs`), and one exchange moves the keys.
//!
//! The algorithm is that of H. Shi and J. Schaeffer, *Parallel sorting by regular sampling*, Journal of Parallel and
//! Distributed Computing 14, 1992.

mod check;
mod split;

use std::ops::Range;
use std::time::Instant;

use coarray::collectives::co_alltoallv;
use coarray::prelude::*;

use program::command_line::{Long, fail, follow};
use program::memory::afford;
use program::random;

use check::Fingerprint;

const HELP: &str = "\
Random keys are sorted by all images together.

usage: sample_sort [--keys N] [--distinct N] [--uneven] [--seed N]

  --keys N       how many keys of 8 bytes all images have together (default: 10000000)
  --distinct N   keys from 0 to N - 1; with few, many are equal (default: all numbers of 64 bits)
  --uneven       in the beginning image i has i + 1 times as many as image 0; otherwise all have as many
  --seed N       which random numbers (default: 1)

It checks that the keys are in order and are those that there were, and ends with a checksum, which does
not depend on the number of images.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N sample_sort ...`.";

#[coarray::main]
fn main() {
    let (mut total, mut distinct, mut is_uneven, mut seed) = (10_000_000, None, false, 1);
    let goes_on = follow(HELP, |option, arguments| {
        match option {
            Long("keys") => total = arguments.count(1 << 40)?,
            Long("distinct") => distinct = Some(arguments.count(1 << 40)? as u64),
            Long("uneven") => is_uneven = true,
            Long("seed") => seed = arguments.number("a number", |_| true)?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }

    let own = share(total, is_uneven);
    // The keys, the parts that others send, and these parts in one piece.
    let wanted = format!("--keys {total}");
    afford(wanted, 3 * 8 * own.len());
    let key = |number: usize| {
        let bits = random::bits(seed, number as u64);
        distinct.map_or(bits, |distinct| bits % distinct)
    };
    let mut keys: Vec<u64> = own.map(key).collect();
    let before = Fingerprint::of(&keys);

    sync_all();
    let start = Instant::now();
    keys.sort_unstable();
    let parts = split::parts(&keys, total);
    let received = co_alltoallv(&parts);
    // Each image's part is sorted: this sort finds such runs, and merges them.
    let mut sorted = received.concat();
    sorted.sort();
    sync_all();
    let seconds = start.elapsed().as_secs_f64();

    if !check::is_sorted(&sorted) {
        fail("the keys are not in order");
    }
    if Fingerprint::of(&sorted) != before {
        fail("the keys are not those that there were");
    }
    let checksum = check::checksum(&sorted);
    let (mut most, mut least) = (sorted.len(), sorted.len());
    co_max(&mut most);
    co_min(&mut least);
    if this_image() == 0 {
        println!("keys: {total}, in order, and the same as before");
        println!("checksum: {checksum:016x}");
        println!(
            "balance: {least} to {most} keys on an image, {:.3} times the average at most",
            (most * num_images()) as f64 / total as f64
        );
        println!("rate: {:.2} Mkey/s", total as f64 / seconds / 1e6);
    }
}

/// The numbers of the keys that this image has at the start.
fn share(total: usize, is_uneven: bool) -> Range<usize> {
    let weight = |images: usize| match is_uneven {
        true => images * (images + 1) / 2,
        false => images,
    };
    let first = |image: usize| {
        (total as u128 * weight(image) as u128 / weight(num_images()) as u128) as usize
    };
    first(this_image())..first(this_image() + 1)
}
