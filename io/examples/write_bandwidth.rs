//! How fast all images write one array together, beside a single writer that copies one buffer to a file over and over,
//! as `dd` does.
//!
//! usage: write_bandwidth [FOLDER] [MIB] [ROUNDS]
//!
//! The ways take turns, and the medians are compared. A halo of one cell surrounds the blocks, so that rows lie
//! apart in memory.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use coarray_io::{Checkpoint, write_npy, write_raw};

/// The size of a write of `dd bs=1M`.
const PIECE: usize = 1 << 20;

/// Cells in the rows of the array.
const ROW: usize = 256;

#[coarray::main]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "/tmp".to_owned()));
    let mib: usize = arguments.next().map_or(Ok(256), |mib| mib.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(9), |rounds| rounds.parse())?;
    let bytes = mib << 20;

    let shape = [bytes / 8 / ROW / ROW, ROW, ROW];
    let mut arrays = Vec::new();
    for extents in [
        [num_images(), 1, 1],
        [1, num_images(), 1],
        [1, 1, num_images()],
    ] {
        let blocks = Blocks::new(shape, ImageGrid::new(extents)?)?;
        arrays.push(HaloArray::filled(&blocks, 1, 1.0)?);
    }
    let path = folder.join(format!("write_bandwidth.{}", mib));
    let mut ways: Vec<(String, Vec<f64>)> = Vec::new();
    for round in 0..=rounds {
        let mut measure = |name: String, way: &dyn Fn(&Path)| {
            // A new file each time: replacing a file would include the time to free it.
            if this_image() == 0 {
                let _ = fs::remove_file(&path);
            }
            sync_all();
            let start = Instant::now();
            way(&path);
            sync_all();
            let rate = bytes as f64 / start.elapsed().as_secs_f64() / 1e9;
            // The first round only warms the file system up.
            match ways.iter_mut().find(|(other, _)| *other == name) {
                Some((_, rates)) if round > 0 => rates.push(rate),
                Some(_) => (),
                None => ways.push((name, Vec::new())),
            }
        };
        measure("one writer, one buffer".to_owned(), &|path| {
            if this_image() == 0 {
                one_writer(path, bytes).expect("the folder can be written to");
            }
        });
        for array in &arrays {
            let grid = array.grid().extents();
            measure(format!("write_npy, images {grid:?}"), &|path| {
                write_npy(path, array).expect("the folder can be written to");
            });
        }
        measure("write_raw".to_owned(), &|path| {
            write_raw(path, &arrays[0]).expect("the folder can be written to");
        });
    }
    let generations = folder.join("write_bandwidth.checkpoints");
    let start = Instant::now();
    Checkpoint::new(&generations)
        .field("u", &arrays[0])
        .save()?;
    let saved = start.elapsed().as_secs_f64();
    let start = Instant::now();
    Checkpoint::open(&generations)?;
    let opened = start.elapsed().as_secs_f64();
    if this_image() == 0 {
        fs::remove_file(&path)?;
        fs::remove_dir_all(&generations)?;
        let alone = median(&mut ways[0].1);
        println!("{} images, {mib} MiB in {}", num_images(), folder.display());
        for (name, rates) in &mut ways {
            let rate = median(rates);
            println!(
                "{name:<32} {rate:6.2} GB/s  {:5.2} of one writer",
                rate / alone
            );
        }
        let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
        println!(
            "{:<32} {:6.2} GB/s, on the disk",
            "Checkpoint::save",
            rate(saved)
        );
        println!(
            "{:<32} {:6.2} GB/s, all checksums",
            "Checkpoint::open",
            rate(opened)
        );
    }
    Ok(())
}

fn one_writer(path: &Path, bytes: usize) -> std::io::Result<()> {
    let buffer = vec![1; PIECE];
    let mut file = File::create_new(path)?;
    (0..bytes / PIECE).try_for_each(|_| file.write_all(&buffer))
}

fn median(rates: &mut [f64]) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
