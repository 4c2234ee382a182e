//! Results that are right, but others each time.

use coarray::collectives::co_sum_reproducible;
use coarray::events::Coevents;
use coarray::prelude::*;

use crate::program::Version;

pub fn sum_in_order_of_arrival(version: Version) -> f64 {
    let mut value = [1e16, 1.0, -1e16][this_image()];
    if version.is_right() {
        co_sum_reproducible(&mut value);
        return value;
    }
    let total = Coarray::new(Comutex::new(0.0));
    total.at(0).lock().update(|total| *total += value);
    sync_all();
    total.at(0).lock().get()
}

pub fn parts_taken_as_they_come(version: Version) -> f64 {
    let came = Coarray::<[Coevent; 3]>::from_fn(|_| Coevent::new());
    came.at(0)[this_image()].post();
    let mut order = 0;
    if this_image() == 0 {
        for expected in 0..3 {
            let part = match version {
                Version::Wrong => came.wait_any(),
                Version::Right => {
                    came[expected].wait();
                    expected
                }
            };
            order = 10 * order + part as u32;
        }
    }
    f64::from(order)
}

pub fn log_in_order_of_arrival(version: Version) -> f64 {
    let next = Coarray::new(Coatomic::new(0));
    let mut log = Coarray::<[u32; 3]>::zeroed();
    {
        let log = log.open();
        let line = match version {
            Version::Wrong => next.at(0).fetch_add(1),
            Version::Right => this_image(),
        };
        log.at(0)[line].put(this_image() as u32);
    }
    f64::from(log[0] * 100 + log[1] * 10 + log[2])
}

pub fn first_of_equals_wins(version: Version) -> f64 {
    let (me, value) = (this_image(), [1, 5, 5][this_image()]);
    let best = Coarray::new(Comutex::new([0, 0]));
    best.at(0).lock().update(|best| {
        let wins = value > best[0] || value == best[0] && version.is_right() && me > best[1];
        if wins {
            *best = [value, me];
        }
    });
    sync_all();
    best.at(0).lock().get()[1] as f64
}
