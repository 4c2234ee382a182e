//! Images that disagree about what they do together.

use coarray::prelude::*;

use crate::Mistake;

pub const MISTAKES: &[Mistake] = &[
    ("in_a_branch", in_a_branch),
    ("different_roots", different_roots),
    ("different_lengths", different_lengths),
    ("different_sizes", different_sizes),
    ("opened_in_a_branch", opened_in_a_branch),
    ("no_such_root", no_such_root),
    ("stops_alone", stops_alone),
];

// ANCHOR: in_a_branch
fn in_a_branch() {
    let mut sum = this_image();
    if this_image() == 0 {
        co_sum(&mut sum);
        println!("the sum is {sum}");
    }
}
// ANCHOR_END: in_a_branch

// ANCHOR: different_roots
fn different_roots() {
    let mut steps = 100;
    co_broadcast(&mut steps, this_image());
}
// ANCHOR_END: different_roots

// ANCHOR: different_lengths
fn different_lengths() {
    let mut counts = vec![0u32; 10 + this_image()];
    co_sum(&mut counts);
}
// ANCHOR_END: different_lengths

// ANCHOR: different_sizes
fn different_sizes() {
    let rows = 240 / num_images() + this_image() % 2;
    let _cells = Coarray::<[[u8; 240]]>::zeroed(rows);
}
// ANCHOR_END: different_sizes

// ANCHOR: opened_in_a_branch
fn opened_in_a_branch() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    if this_image() == 0 {
        let x = x.open();
        x.at(1)[0].put(1.0);
    }
    sync_all();
}
// ANCHOR_END: opened_in_a_branch

// ANCHOR: no_such_root
fn no_such_root() {
    let mut steps = 100;
    co_broadcast(&mut steps, num_images());
}
// ANCHOR_END: no_such_root

// ANCHOR: stops_alone
fn stops_alone() {
    let mut change = 1.0 / (this_image() + 1) as f64;
    while change > 0.1 {
        change /= 2.0;
        sync_all();
    }
}
// ANCHOR_END: stops_alone
