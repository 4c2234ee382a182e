//! Collectives that an image does not call: algorithms that pass data from image to image, and asynchronous
//! collectives, which wait only for their results.

use coarray::asynchronous::{co_max_async, co_sum_async};
use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;

use crate::Program;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "asynchronous_sum_and_event",
        images: 2,
        mistake: "image 1 waits for a post that comes after the sum, to which it would contribute later",
        body: sum,
    },
    Program {
        name: "asynchronous_sum_left_main",
        images: 2,
        mistake: "the last image never contributes to a sum",
        body: left_main,
    },
    Program {
        name: "broadcast_by_a_tree",
        images: 4,
        mistake: "image 2, which passes on to image 3, waits for an event instead",
        body: tree,
    },
    Program {
        name: "scan_by_a_chain",
        images: 3,
        mistake: "image 1, on which those after it rely, waits for an event instead",
        body: chain,
    },
];

fn sum() {
    let ready = Coarray::new(Coevent::new());
    if this_image() == 1 {
        ready.wait(); // [sum.event]
    }
    let sum = co_sum_async([this_image(); 3]); // [sum.all]
    let _ = sum.wait();
    if this_image() == 0 {
        ready.at(1).post();
    }
}

fn left_main() {
    if this_image() + 1 == num_images() {
        return;
    }
    let largest = co_max_async(this_image()); // [left_main.max]
    let _ = largest.wait();
}

fn tree() {
    let ready = Coarray::new(Coevent::new());
    let mut table = [0.5; 8];
    if this_image() == 2 {
        ready.wait(); // [tree.wait]
    }
    Collective::new()
        .algorithm(Algorithm::Binomial)
        .co_broadcast(&mut table, 0); // [tree.all]
    ready.at(2).post();
}

fn chain() {
    let ready = Coarray::new(Coevent::new());
    let mut count = this_image();
    if this_image() == 1 {
        ready.wait(); // [chain.wait]
    }
    let by = Collective::new().algorithm(Algorithm::Chain);
    by.co_scan(&mut count, |before, own| before + own); // [chain.all]
    ready.at(1).post();
}
