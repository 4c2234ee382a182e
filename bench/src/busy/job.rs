//! Collective. What a job of images measures beside the loops: how long each single operation takes on image 0.

use std::time::{Duration, Instant};

use coarray::prelude::*;

use crate::sample::{OWN, tell};

/// What is measured, in the order in which it is printed.
pub const OPERATIONS: [&str; 4] = ["sync_all", "event_exchange", "notify_ring", "co_sum"];

/// So often at least, and at most.
const COUNTS: [f64; 2] = [200.0, 20_000.0];

/// So often before it counts; it tells how often there is time for it, too.
const TRIALS: usize = 50;

/// Collective. Measures all operations, for about that time each.
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
    // Each tells both of its neighbours, and waits for both.
    let told = Coarray::new([Coevent::new(), Coevent::new()]);
    time(OPERATIONS[1], &mut || {
        told.at(next)[0].post();
        told.at(previous)[1].post();
        told[0].wait();
        told[1].wait();
    });
    // A number goes round, and each adds one.
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

/// Collective. The nanoseconds of each of so many, on this image.
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
