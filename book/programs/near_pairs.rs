//! Counts the pairs of points that are near each other, while the points drift. It has three mistakes that only cost time; the argument says how
//! many of them are repaired.
//!
//!     COARRAY_PROFILE=waits COARRAY_IMAGES=2 cargo run --release -p coarray-book --example near_pairs -- 0

use coarray::prelude::*;

const POINTS: usize = 3000;
const STEPS: u64 = 20;

/// Where a point is after some steps: on a circle, at an angle in units of 2^-32 of it.
fn place(point: usize, step: u64) -> u32 {
    let start = (point as u32).wrapping_mul(0x9e37_79b9);
    start.wrapping_add((step as u32).wrapping_mul(point as u32 * 641))
}

// ANCHOR: near
/// How many points behind point `row` are near it.
fn near(points: &[u32], row: usize) -> u64 {
    let is_near = |other: &&u32| points[row].wrapping_sub(**other).wrapping_add(1 << 19) < 1 << 20;
    points[row + 1..].iter().filter(is_near).count() as u64
}
// ANCHOR_END: near

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

// ANCHOR: send
/// Moves the points of this image, and puts them to all images: one by one, or at once.
fn send(points: &mut Coarray<[u32; POINTS]>, step: u64, one_by_one: bool) {
    let (me, images) = (this_image(), num_images());
    let own = me * POINTS / images..(me + 1) * POINTS / images;
    let moved: Vec<u32> = own.clone().map(|point| place(point, step)).collect();
    let points = points.open();
    for image in 0..images {
        let there = points.at(image);
        if one_by_one {
            for (point, &angle) in own.clone().zip(&moved) {
                there[point].put(angle);
            }
        } else {
            there[own.clone()].put_from(&moved[..]);
        }
    }
}
// ANCHOR_END: send

// ANCHOR: count
/// Adds the near pairs of these rows to a total on image 0: after each row, or once.
fn count(points: &[u32], rows: &[usize], total: &Coarray<Coatomic<u64>>, row_by_row: bool) {
    let pairs = rows.iter().map(|&row| near(points, row));
    if row_by_row {
        for pairs in pairs {
            total.at(0).add(pairs);
        }
    } else {
        total.at(0).add(pairs.sum());
    }
}
// ANCHOR_END: count

#[coarray::main]
fn main() {
    let repaired: usize = std::env::args()
        .nth(1)
        .map_or(0, |count| count.parse().expect("a number of repairs"));
    let rows = rows(repaired < 1);
    let mut points = Coarray::<[u32; POINTS]>::zeroed();
    let total = Coarray::new(Coatomic::new(0_u64));
    // ANCHOR: steps
    for step in 0..STEPS {
        send(&mut points, step, repaired < 2);
        count(&points[..], &rows, &total, repaired < 3);
    }
    // ANCHOR_END: steps
    sync_all();
    if this_image() == 0 {
        let total = total.load();
        println!("{total} pairs were near each other in {STEPS} steps");
    }
}
