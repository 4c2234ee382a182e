//! How many schedules a second can be tried, and how long it takes to hand over the turn.

use std::time::Instant;

use coarray::prelude::*;
use coarray::testing::Explore;

/// So many atomic operations, each of which is a point.
fn operate(times: usize) {
    let count = Coarray::new(Coatomic::new(0));
    for _ in 0..times {
        count.at(0).fetch_add(1);
    }
}

#[test]
#[ignore = "measures"]
fn schedules_in_a_second() {
    const SCHEDULES: u32 = 1000;
    for points in [0_usize, 33, 100] {
        let begun = Instant::now();
        let explore = Explore::new(3).schedules(SCHEDULES);
        explore.run(|| operate(points.div_ceil(3)));
        let each = begun.elapsed() / SCHEDULES;
        println!("{points} points: {each:?} a schedule");
    }
}

#[test]
#[ignore = "measures"]
fn handing_over_the_turn() {
    const EACH: usize = 20_000;
    let time = |explore: Explore| {
        let begun = Instant::now();
        explore.schedules(2).run(|| operate(EACH));
        begun.elapsed() / (2 * 3 * EACH) as u32
    };
    // The first of two schedules is the plain one.
    println!("a point: {:?}", time(Explore::new(3).pct(1)));
    println!(
        "every other one with a switch: {:?}",
        time(Explore::new(3).round_robin())
    );
}
