//! A picture of the Mandelbrot set. Some of its rows take hundreds of times as long as others, so an image takes
//! another band of rows whenever it is idle.
//!
//! ```text
//! cargo run --release --example work_queue -- --png who.png
//! cargo run --release --example work_queue -- --queue stealing
//! ```
//!
//! Shows: two ways to hand out work (`bands.rs`): a counter on image 0, which is one atomic instruction for each band,
//! and a queue on each image, from which others steal when their own is empty. Both are compared with bands that are
//! divided beforehand. Rows are put into the memory of image 0, which alone has room for the picture.

mod bands;
mod mandelbrot;
mod options;
mod picture;

use std::time::Instant;

use coarray::prelude::*;
use program::command_line::{fail, refuse};
use program::memory::afford;
use program::output;

use bands::{Bands, Division};
use options::Options;
use picture::Picture;

#[coarray::main]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    if let (0, Some(path)) = (this_image(), &options.png) {
        output::check_writable(path).unwrap_or_else(|error| refuse(error));
    }

    // Both pictures are on image 0.
    let pixels = if this_image() == 0 {
        options.width * options.height
    } else {
        0
    };
    let wanted = format!("--size {}x{}", options.width, options.height);
    afford(wanted, 2 * 4 * pixels);

    let before = compute(Division::Equal, &options);
    let picture = compute(options.queue, &options);
    if let (Some(before), Some(picture)) = (before, picture) {
        if before.checksum() != picture.checksum() {
            fail("the two pictures differ");
        }
        println!("checksum: {:016x}, the same for both", picture.checksum());
        if let Some(path) = &options.png {
            let drawn = picture.draw(options.limit).write_png(path);
            drawn.unwrap_or_else(|error| fail(error));
        }
    }
}

/// Collective. Computes the picture, which image 0 gets, and prints how evenly images shared the work.
fn compute(division: Division, options: &Options) -> Option<Picture> {
    let mut picture = Picture::new(options);
    let open = picture.rows.open();
    let rows = open.at(0);
    let bands = Bands::new(division, options.height.div_ceil(options.band));
    sync_all();
    let start = Instant::now();
    let (mut work, mut computed) = (0, 0);
    for band in bands {
        let first = band * options.band;
        for row in first..options.height.min(first + options.band) {
            let iterations = mandelbrot::row(row, options);
            work += iterations
                .iter()
                .map(|&count| u64::from(count))
                .sum::<u64>();
            picture::put(rows, row, &iterations);
            computed += 1;
        }
    }
    sync_all();
    let seconds = start.elapsed().as_secs_f64();
    drop(open);

    let (mut all, mut most) = (work, work);
    co_sum(&mut all);
    co_max(&mut most);
    co_sum(&mut computed);
    if computed != options.height {
        fail(format_args!("{computed} rows were handed out"));
    }
    if this_image() == 0 {
        let balance = (most * num_images() as u64) as f64 / all as f64;
        println!(
            "{division}: {balance:.3} times the average work on the busiest image, {seconds:.3} s"
        );
    }
    (this_image() == 0).then_some(picture)
}
