//! A picture of the Mandelbrot set, some of whose rows take a thousand times as long as others: images take bands of rows as
//! they find time.
//!
//! ```text
//! cargo run --release --example work_queue -- --png who.png
//! cargo run --release --example work_queue -- --queue stealing
//! ```
//!
//! Shows: two ways to hand out work (`bands.rs`): a counter on image 0, which is one atomic instruction for each band, and
//! a queue on each image, from which others steal when their own is empty. Both are compared with bands that are divided
//! beforehand. Rows are put into the memory of image 0, which alone has room for the picture.

mod bands;
#[path = "../shared/canvas.rs"]
mod canvas;
#[path = "../shared/command_line.rs"]
mod command_line;
mod mandelbrot;
mod picture;
#[path = "../shared/random.rs"]
mod random;

use std::path::PathBuf;
use std::time::Instant;

use coarray::{error_stop_with, prelude::*};

use bands::{Bands, Division};
use command_line::{
    arguments::{count, extents},
    refuse,
};
use picture::Picture;

const HELP: &str = "\
A picture of the Mandelbrot set, whose rows are handed out to images that have nothing to do.

usage: work_queue [--size WIDTHxHEIGHT] [--limit N] [--band N] [--queue counter|stealing] [--png FILE]

  --size WIDTHxHEIGHT   pixels of the picture (default: 960x640)
  --limit N             iterations after which a point counts as one of the set (default: 2000)
  --band N              rows that are handed out together (default: 8)
  --queue KIND          counter: the next band is that of a counter on image 0 (default)
                        stealing: each image has bands, and takes some of another's when it is done
  --png FILE            draw the picture, with a colour for each image that computed some of it

It is computed twice: first in equal parts, then from the queue. For each it tells how much work the image
with most of it did, and how long it took.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N work_queue ...`.";

struct Options {
    width: usize,
    height: usize,
    limit: u32,
    /// How many rows are handed out together.
    band: usize,
}

#[coarray::main]
fn main() {
    let mut options = Options {
        width: 960,
        height: 640,
        limit: 2000,
        band: 8,
    };
    let (mut queue, mut png) = (Division::Counter, None::<PathBuf>);
    let goes_on = command_line::follow("work_queue", HELP, |option, arguments| {
        match option {
            "--size" => {
                let size = |text: &str| extents(text, 1 << 14)?.try_into().ok();
                let expected = "WIDTHxHEIGHT in pixels, such as 960x640, each 1 to 16384";
                [options.width, options.height] = arguments.value_as(expected, size)?;
            }
            "--limit" => {
                let number = |text: &str| count(text, 1 << 24);
                options.limit = arguments.value_as("a number from 1 to 16777216", number)? as u32;
            }
            "--band" => {
                let number = |text: &str| count(text, usize::MAX);
                options.band = arguments.value_as("a positive number", number)?;
            }
            "--queue" => {
                queue = arguments.value_as("counter or stealing", |text| match text {
                    "counter" => Some(Division::Counter),
                    "stealing" => Some(Division::Stealing),
                    _ => None,
                })?;
            }
            "--png" => png = Some(arguments.value()?.into()),
            _ => return Err(arguments.unknown()),
        }
        Ok(())
    });
    if !goes_on {
        return;
    }
    if let (0, Some(path)) = (this_image(), &png) {
        life::picture::check_writable(path).unwrap_or_else(|error| refuse("work_queue", error));
    }

    let before = compute(Division::Equal, &options);
    let picture = compute(queue, &options);
    if let (Some(before), Some(picture)) = (before, picture) {
        if before.checksum() != picture.checksum() {
            error_stop_with(1, "work_queue: the two pictures differ");
        }
        println!("checksum: {:016x}, the same for both", picture.checksum());
        if let Some(path) = &png {
            let drawn = picture.draw(options.limit).write_png(path);
            drawn.unwrap_or_else(|error| refuse("work_queue", error));
        }
    }
}

/// Collective. Computes the picture, which image 0 gets, and says who did how much.
fn compute(division: Division, options: &Options) -> Option<Picture> {
    let mut picture = Picture::new(options);
    let open = picture.rows.open();
    let rows = open.at(0);
    let bands = Bands::new(division, options.height.div_ceil(options.band));
    sync_all();
    let start = Instant::now();
    let mut work = 0;
    for band in bands {
        let first = band * options.band;
        for row in first..options.height.min(first + options.band) {
            let iterations = mandelbrot::row(row, options);
            work += iterations
                .iter()
                .map(|&count| u64::from(count))
                .sum::<u64>();
            picture::put(rows, row, &iterations);
        }
    }
    sync_all();
    let seconds = start.elapsed().as_secs_f64();
    drop(open);

    let (mut all, mut most) = (work, work);
    co_sum(&mut all);
    co_max(&mut most);
    if this_image() == 0 {
        let balance = (most * num_images() as u64) as f64 / all as f64;
        println!(
            "{division}: {balance:.3} times the average work on the busiest image, {seconds:.3} s"
        );
    }
    (this_image() == 0).then_some(picture)
}
