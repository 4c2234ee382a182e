//! A simulation's steps, with a progress bar, and how long they took.

use crate::progress;
use crate::shares::{Clock, Shares};

/// Collective. Takes `steps` steps, with a progress bar unless `is_quiet`. `step` gets the number of the step.
pub fn take(steps: usize, is_quiet: bool, mut step: impl FnMut(usize, &mut Clock)) -> Shares {
    let bar = progress::steps(steps, "steps", is_quiet);
    let mut clock = Clock::start();
    for number in 0..steps {
        step(number, &mut clock);
        bar.inc(1);
    }
    let shares = clock.stop();
    bar.finish_and_clear();
    shares
}

/// Local. Prints how long `steps` steps of `cells` cells took.
pub fn report(cells: usize, steps: usize, shares: &Shares) {
    let rate = (cells * steps) as f64 / shares.seconds / 1e6;
    println!("time: {:.4} s", shares.seconds);
    println!("rate: {rate:.2} Mcell/s");
    println!("{shares}");
}
