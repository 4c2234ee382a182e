//! Arrays that cannot be divided as asked, and files that hold something else.

use std::fs::File;

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use coarray_io::{Checkpoint, read_npy, write_npy};

use crate::Mistake;

pub const MISTAKES: &[Mistake] = &[
    ("wrong_grid", wrong_grid),
    ("too_few_cells", too_few_cells),
    ("wide_halo", wide_halo),
    ("no_such_file", no_such_file),
    ("another_type", another_type),
    ("another_shape", another_shape),
    ("torn", torn),
    ("all_torn", all_torn),
];

/// A field of `cells` cells on a row of all images.
fn field(cells: usize) -> HaloArray<f64, 1> {
    let blocks = Blocks::new([cells], ImageGrid::balanced()).unwrap();
    HaloArray::filled(&blocks, 1, 0.0).unwrap()
}

// ANCHOR: wrong_grid
fn wrong_grid() {
    let grid = ImageGrid::new([3, 2]).unwrap();
    println!("{:?}", grid.coordinates());
}
// ANCHOR_END: wrong_grid

// ANCHOR: too_few_cells
fn too_few_cells() {
    let blocks = Blocks::new([3], ImageGrid::balanced()).unwrap();
    let u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
    println!("{}", u.local());
}
// ANCHOR_END: too_few_cells

// ANCHOR: wide_halo
fn wide_halo() {
    let blocks = Blocks::new([10], ImageGrid::balanced()).unwrap();
    let u = HaloArray::filled(&blocks, 3, 0.0).unwrap();
    println!("{}", u.local());
}
// ANCHOR_END: wide_halo

// ANCHOR: no_such_file
fn no_such_file() {
    let mut u = field(100);
    read_npy("temperature.npy", &mut u).unwrap();
}
// ANCHOR_END: no_such_file

// ANCHOR: another_type
fn another_type() {
    let u = field(100);
    write_npy("temperature.npy", &u).unwrap();
    let mut single = HaloArray::filled(u.blocks(), 1, 0.0f32).unwrap();
    read_npy("temperature.npy", &mut single).unwrap();
}
// ANCHOR_END: another_type

// ANCHOR: another_shape
fn another_shape() {
    write_npy("temperature.npy", &field(100)).unwrap();
    read_npy("temperature.npy", &mut field(200)).unwrap();
}
// ANCHOR_END: another_shape

/// Two generations of a checkpoint, and then `torn` of them cut off in the middle, as by a power failure.
fn save(torn: u64) {
    let u = field(1000);
    for step in 1..=2u32 {
        let checkpoint = Checkpoint::new("saved").field("u", &u);
        checkpoint.value("step", step).save().unwrap();
    }
    if this_image() == 0 {
        for generation in (1..=2).rev().take(torn as usize) {
            let path = format!("saved/generation-{generation:06}.checkpoint");
            let file = File::options().write(true).open(path).unwrap();
            file.set_len(10_000).unwrap();
        }
    }
    sync_all();
}

// ANCHOR: torn
fn torn() {
    save(1);
    let restart = Checkpoint::open("saved").unwrap();
    let step: u32 = restart.value("step").unwrap();
    if this_image() == 0 {
        println!("go on from step {step}");
    }
}
// ANCHOR_END: torn

// ANCHOR: all_torn
fn all_torn() {
    save(2);
    let restart = Checkpoint::open("saved").unwrap();
    println!("go on from generation {}", restart.generation());
}
// ANCHOR_END: all_torn
