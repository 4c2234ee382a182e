//! Data that one image puts, and another one gets when it is told of them.

use coarray::collectives::co_sum;
use coarray::image_fence;
use coarray::prelude::*;

use crate::Named;

pub const ALL: &[Named] = &[
    ("no_fence", no_fence),
    ("no_image_fence", no_image_fence),
    ("fence_for_another", fence_for_another),
    ("sum_is_no_barrier", sum_is_no_barrier),
    ("whoever_posts", whoever_posts),
];

// ANCHOR: no_fence
fn no_fence() {
    let told = Coarray::new(Coatomic::new(false));
    let mut row = Coarray::new([0; 50]);
    let row = row.open();
    if this_image() == 0 {
        row.at(1).put([7; 50]);
        told.at(1).store(true);
    } else {
        told.wait_until(|told| told);
        image_fence();
        let came = row.here().get();
        println!(
            "{} of 50 numbers came",
            came.iter().filter(|&&number| number == 7).count()
        );
    }
}
// ANCHOR_END: no_fence

// ANCHOR: no_image_fence
fn no_image_fence() {
    let (mut row, mut told) = (Coarray::new([0; 50]), Coarray::new(false));
    let (row, told) = coarray::open((&mut row, &mut told));
    if this_image() == 0 {
        row.at(1).put([7; 50]);
        fence(1);
        told.at(1).put(true);
    } else {
        while !told.here().get() {
            std::thread::yield_now();
        }
        let _ = row.here().get();
    }
}
// ANCHOR_END: no_image_fence

// ANCHOR: fence_for_another
fn fence_for_another() {
    let told = Coarray::new(Coatomic::new(false));
    let mut row = Coarray::new([0; 50]);
    let row = row.open();
    match this_image() {
        0 => {
            row.at(2).put([7; 50]);
            fence(1);
            told.at(1).store(true);
        }
        1 => {
            told.wait_until(|told| told);
            image_fence();
            let _ = row.at(2).get();
        }
        _ => {}
    }
}
// ANCHOR_END: fence_for_another

// ANCHOR: sum_is_no_barrier
fn sum_is_no_barrier() {
    let mut row = Coarray::new([0; 50]);
    let row = row.open();
    if this_image() == 0 {
        row.at(1).put([7; 50]);
    }
    let mut rows = usize::from(this_image() == 0);
    co_sum(&mut rows);
    if this_image() == 1 && rows > 0 {
        let _ = row.here().get();
    }
}
// ANCHOR_END: sum_is_no_barrier

// ANCHOR: whoever_posts
fn whoever_posts() {
    let done = Coarray::new(Coevent::new());
    let mut results = Coarray::new([0; 3]);
    let results = results.open();
    let me = this_image();
    if me > 0 {
        results.at(0)[me].put(10 * me);
        done.at(0).post();
    } else {
        while done.query() < 2 {
            std::thread::yield_now();
        }
        for worker in 1..3 {
            done.wait();
            let _ = results.here()[worker].get();
        }
    }
}
// ANCHOR_END: whoever_posts
