//! A simulation's steps, with a progress bar, and how long they took.

use coarray::prelude::*;
use indicatif::ProgressBar;
use life::progress;

use crate::shares::{Clock, Shares};

/// Collective. Takes so many steps, with a progress bar unless it is to be `quiet`. `step` gets the number of the step.
pub(crate) fn take(steps: usize, quiet: bool, mut step: impl FnMut(usize, &mut Clock)) -> Shares {
    let bar = match this_image() {
        0 if !quiet => progress::steps(steps as u64, "steps"),
        _ => ProgressBar::hidden(),
    };
    let mut clock = Clock::start();
    for number in 0..steps {
        step(number, &mut clock);
        bar.inc(1);
    }
    let shares = clock.stop();
    bar.finish_and_clear();
    shares
}

/// Local. Says how long the steps took, of a field of so many cells.
pub(crate) fn report(cells: usize, steps: usize, shares: &Shares) {
    let rate = (cells * steps) as f64 / shares.seconds / 1e6;
    println!("time: {:.4} s", shares.seconds);
    println!("rate: {rate:.2} Mcell/s");
    println!("{shares}");
}
