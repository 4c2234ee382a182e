//! A token goes round all images, again and again.
//!
//! ```text
//! cargo run --release --example ring
//! cargo run --release --example ring -- --words 1000 --laps 1000
//! ```
//!
//! Shows: puts that notify the other image when they have arrived. An image waits only for the one before it. The time
//! for a hop is the time until a neighbour has noticed, read, changed and passed on the token.

use std::time::Instant;

use coarray::prelude::*;
use program::command_line::{Long, fail, follow};
use program::memory::afford;

const HELP: &str = "\
A token goes round all images, again and again; each adds 1 to all of its words.

usage: ring [--laps N] [--words N]

  --laps N    how often round (default: 100000)
  --words N   how many words of 8 bytes the token has (default: 1)

It tells how long a hop takes, from one image to the next.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N ring ...`.";

#[coarray::main]
fn main() {
    let (mut laps, mut words) = (100_000, 1);
    let goes_on = follow(HELP, |option, arguments| {
        match option {
            Long("laps") => laps = arguments.count(1 << 32)?,
            Long("words") => words = arguments.count(1 << 20)?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }

    afford(format_args!("--words {words}"), 2 * 8 * words);
    let (me, images) = (this_image(), num_images());
    let right = (me + 1) % images;
    let arrived = Coarray::new(Coevent::new());
    let mut places = Coarray::<[u64]>::zeroed(words);
    let places = places.open();
    let mut token = vec![0; words];
    let receive = |token: &mut [u64]| {
        arrived.wait();
        places.here().get_into(token);
    };

    let start = Instant::now();
    for lap in 0..laps {
        // Image 0 starts with the token.
        if me > 0 || lap > 0 {
            receive(&mut token);
        }
        token.iter_mut().for_each(|word| *word += 1);
        places.at(right).put_from_notify(&token, arrived.at(right));
    }
    if me == 0 {
        receive(&mut token);
        let seconds = start.elapsed().as_secs_f64();
        let hops = laps * images;
        if token.iter().any(|&word| word != hops as u64) {
            fail("the token has not been everywhere");
        }
        println!("laps: {laps} round {images} images");
        println!("token: {} in each of {words} words", token[0]);
        println!("time per hop: {:.1} ns", seconds * 1e9 / hops as f64);
    }
}
