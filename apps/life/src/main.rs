//! Conway's Game of Life on a torus that is divided among images.
//!
//! ```text
//! cargo run --release --bin life -- apps/life/patterns/gosperglidergun.rle --size 800x600 --png gun.png
//! ```
//!
//! Shows: a two-dimensional grid of images, halos that travel by one-sided puts of rows, columns and
//! corners, a collective sum, and a picture gathered on image 0. The torus itself is in `torus.rs`.

use std::path::Path;
use std::time::Instant;

use coarray::prelude::*;
use life::block::Block;
use life::decomposition::Decomposition;
use life::options::Options;
use life::picture;
use life::rle::Pattern;
use life::torus::Torus;
use program::command_line::{fail, refuse};
use program::memory::afford;
use program::{output, progress};

const R_PENTOMINO: &str = include_str!("../patterns/rpentomino.rle");

#[coarray::main]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    let (pattern, decomposition) = prepare(&options);
    // The block of this image, now and next; and the rows in one piece for pictures.
    let (width, height) = (options.width, options.height);
    let own = [
        decomposition.rows_of(this_image()).len(),
        decomposition.columns_of(this_image()).len(),
    ];
    let is_drawn = options.png.is_some() || options.frames.is_some();
    let bytes = Block::bytes(own[0], own[1]) * if is_drawn { 3 } else { 2 };
    afford(format_args!("--size {width}x{height}"), bytes);

    let mut torus = Torus::new(decomposition);
    torus.place(&pattern);
    let cells = options.width as u64 * options.height as u64;
    let bar = progress::bar(
        options.generations,
        "{human_pos}/{human_len} generations  {gens} gen/s  {rate} Mcell/s  {eta} left",
        [("gens", 1.0), ("rate", cells as f64 / 1e6)],
        options.quiet,
    );

    let start = Instant::now();
    for generation in 0..options.generations {
        write_frame(&torus, &options, generation);
        torus.step();
        bar.inc(1);
    }
    sync_all();
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();

    write_frame(&torus, &options, options.generations);
    if let Some(png) = &options.png {
        write_picture(&torus, &options, png);
    }
    let population = torus.population();
    if this_image() == 0 {
        println!("generation: {}", torus.generation());
        println!("population: {population}");
        println!(
            "rate: {:.0} Mcell/s",
            cells as f64 * options.generations as f64 / seconds / 1e6
        );
    }
}

/// Reads and checks all input before anything is computed.
fn prepare(options: &Options) -> (Pattern, Decomposition) {
    let pattern = match &options.pattern {
        Some(path) => Pattern::read(path).unwrap_or_else(|error| refuse(error)),
        None => Pattern::parse(R_PENTOMINO).unwrap_or_else(|error| refuse(error)),
    };
    let (width, height) = (options.width, options.height);
    if pattern.width > width || pattern.height > height {
        let (pattern_width, pattern_height) = (pattern.width, pattern.height);
        refuse(format_args!(
            "a pattern of {pattern_width}x{pattern_height} cells does not fit a torus of {width}x{height}; give a larger --size"
        ));
    }
    let decomposition =
        Decomposition::new(height, width, num_images()).unwrap_or_else(|error| refuse(error));
    if this_image() == 0 {
        if let Some(png) = &options.png {
            output::check_writable(png).unwrap_or_else(|error| refuse(error));
        }
        if let Some(frames) = &options.frames {
            std::fs::create_dir_all(frames).unwrap_or_else(|error| {
                refuse(format_args!("{}: cannot create: {error}", frames.display()))
            });
            output::check_writable(&frame(frames, 0)).unwrap_or_else(|error| refuse(error));
        }
    }
    (pattern, decomposition)
}

fn write_frame(torus: &Torus, options: &Options, generation: u64) {
    if let Some(frames) = &options.frames {
        write_picture(torus, options, &frame(frames, generation));
    }
}

fn frame(frames: &Path, generation: u64) -> std::path::PathBuf {
    frames.join(format!("{generation:06}.png"))
}

fn write_picture(torus: &Torus, options: &Options, path: &Path) {
    let written =
        torus.look(|alive| picture::write_png(path, options.height, options.width, alive));
    if let Some(Err(error)) = written {
        fail(error);
    }
}
