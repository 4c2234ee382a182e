//! The job of `cobench busy`: image 0 times each single operation.

use std::time::{Duration, Instant};

use coarray::prelude::*;

use crate::sample::{OWN, tell};

/// The operations, in the order of the report.
pub const OPERATIONS: [&str; 4] = ["sync_all", "event_exchange", "notify_ring", "co_sum"];

/// The fewest and the most repetitions.
const COUNTS: [f64; 2] = [200.0, 20_000.0];

/// Repetitions that do not count; they also tell how many repetitions there is time for.
const TRIALS: usize = 50;

/// Collective. Measures all operations, each for about this time.
pub fn run(budget: Duration) {
    let (me, images) = (this_image(), num_images());
    let [next, previous] = [(me + 1) % images, (me + images - 1) % images];
    let time = |operation, act: &mut dyn FnMut()| {
        let mut trial = times(TRIALS, act).iter().sum::<f64>() / TRIALS as f64;
        co_max(&mut trial);
        let [least, most] = COUNTS;
        let count = (budget.as_nanos() as f64 / trial).clamp(least, most);
        tell(operation, 0, OWN, times(count as usize, act));
    };
    time(OPERATIONS[0], &mut sync_all);
    // Each image notifies both of its neighbours, and waits for both.
    let told = Coarray::new([Coevent::new(), Coevent::new()]);
    time(OPERATIONS[1], &mut || {
        told.at(next)[0].post();
        told.at(previous)[1].post();
        told[0].wait();
        told[1].wait();
    });
    // A number goes round, and each image adds one.
    let mut place = Coarray::new(0_u64);
    let arrived = Coarray::new(Coevent::new());
    let open = place.open();
    time(OPERATIONS[2], &mut || {
        let pass_on = || {
            let number = open.here().get() + 1;
            open.at(next).put_notify(number, arrived.at(next));
        };
        if me == 0 {
            pass_on();
            arrived.wait();
        } else {
            arrived.wait();
            pass_on();
        }
    });
    open.close();
    time(OPERATIONS[3], &mut || {
        let mut sum = me;
        co_sum(&mut sum);
        assert_eq!(sum, images * (images - 1) / 2);
    });
}

/// Collective. The nanoseconds of each repetition on this image.
fn times(count: usize, act: &mut dyn FnMut()) -> Vec<f64> {
    sync_all();
    let mut before = Instant::now();
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        act();
        let now = Instant::now();
        times.push((now - before).as_nanos() as f64);
        before = now;
    }
    times
}
