//! Images that end early, and threads that are no images.

use std::error::Error;
use std::process::{Command, exit};

use coarray::prelude::*;

use crate::Mistake;

pub const MISTAKES: &[Mistake] = &[
    ("hello", hello),
    ("panic", panic),
    ("thread", thread),
    ("exit", leave),
    ("stop", stop),
    ("killed", killed),
];

/// A program without a mistake, for mistakes in settings.
fn hello() {
    if this_image() == 0 {
        println!("hello from {} images", num_images());
    }
}

// ANCHOR: panic
fn panic() {
    let rows = 3;
    let first = (0..rows).nth(this_image()).expect("there are rows for all");
    assert!(first < rows);
}
// ANCHOR_END: panic

// ANCHOR: not_an_image
pub fn not_an_image() {
    println!("hello from image {}", this_image());
}
// ANCHOR_END: not_an_image

// ANCHOR: thread
fn thread() {
    if this_image() == 2 {
        let helper = std::thread::spawn(|| println!("I help image {}", this_image()));
        helper.join().expect("the helper is done");
    }
}
// ANCHOR_END: thread

// ANCHOR: exit
fn leave() {
    if this_image() == 2 {
        exit(0);
    }
    sync_all();
}
// ANCHOR_END: exit

// ANCHOR: stop
fn stop() {
    let residual = 0.1 * this_image() as f64;
    if residual > 0.25 {
        error_stop(7);
    }
}
// ANCHOR_END: stop

// ANCHOR: failure
#[coarray::main]
pub fn main() -> Result<(), Box<dyn Error>> {
    if this_image() == 2 {
        let steps: u32 = "ten".parse()?;
        println!("{steps} steps");
    }
    Ok(())
}
// ANCHOR_END: failure

// ANCHOR: killed
fn killed() {
    if this_image() == 2 {
        let killing = Command::new("sh").args(["-c", "kill -KILL $PPID"]).status();
        println!("{killing:?}");
    }
    sync_all();
}
// ANCHOR_END: killed
