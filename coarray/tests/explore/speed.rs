//! How many schedules a second can be tried.

use std::time::Instant;

use coarray::prelude::*;
use coarray::testing::Explore;

#[test]
#[ignore = "measures"]
fn schedules_in_a_second() {
    const SCHEDULES: u32 = 1000;
    for (what, rounds) in [("33 points", 11), ("105 points", 35)] {
        let begun = Instant::now();
        Explore::new(3).random().schedules(SCHEDULES).run(|| {
            let count = Coarray::new(Coatomic::new(0));
            for _ in 0..rounds {
                count.at(0).fetch_add(1);
            }
        });
        let each = begun.elapsed() / SCHEDULES;
        println!("{what}: {each:?} a schedule");
    }
}
