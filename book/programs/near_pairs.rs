//! Counts the pairs of points that are near each other, while the points drift. The rows of the triangle of pairs are divided among the
//! images in blocks, or dealt out like cards.
//!
//!     COARRAY_PROFILE=waits COARRAY_IMAGES=2 cargo run --release -p coarray-book --example near_pairs -- blocks

use coarray::collectives::co_sum;
use coarray::prelude::*;

const POINTS: usize = 3000;
const STEPS: u64 = 20;

/// Where a point is after some steps: on a circle, at an angle in units of 2^-32 of it.
fn place(point: usize, step: u64) -> u32 {
    let start = (point as u32).wrapping_mul(0x9e37_79b9);
    start.wrapping_add((step as u32).wrapping_mul(point as u32 * 641))
}

// ANCHOR: count
/// How many points behind point `row` are near it.
fn near(points: &[u32], row: usize) -> u64 {
    let is_near = |other: &&u32| points[row].wrapping_sub(**other).wrapping_add(1 << 19) < 1 << 20;
    points[row + 1..].iter().filter(is_near).count() as u64
}
// ANCHOR_END: count

// ANCHOR: rows
/// The rows of this image: a block of them, or every so many.
fn rows(in_blocks: bool) -> Vec<usize> {
    let (me, images) = (this_image(), num_images());
    match in_blocks {
        true => (me * POINTS / images..(me + 1) * POINTS / images).collect(),
        false => (me..POINTS).step_by(images).collect(),
    }
}
// ANCHOR_END: rows

#[coarray::main]
fn main() {
    let in_blocks = std::env::args().nth(1).is_none_or(|way| way == "blocks");
    let rows = rows(in_blocks);
    let mut all = 0;
    // ANCHOR: steps
    for step in 0..STEPS {
        let points: Vec<u32> = (0..POINTS).map(|point| place(point, step)).collect();
        let mut pairs: u64 = rows.iter().map(|&row| near(&points, row)).sum();
        co_sum(&mut pairs);
        all += pairs;
    }
    // ANCHOR_END: steps
    if this_image() == 0 {
        println!("{all} pairs were near each other in {STEPS} steps");
    }
}
