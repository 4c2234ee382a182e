//! Counts the cells that begin in each state: images take rows from a common queue, and add to the same counters.
//!
//! ```text
//! cargo run --release -p coarray-book --example cyclic_states
//! ```

use coarray::prelude::*;
use coarray_book::cyclic::{self, STATES};

const SIZE: usize = 240;

#[coarray::main]
fn main() {
    // ANCHOR: queue
    let next_row = Coarray::new(Coatomic::new(0));
    let mut counts = Coarray::<[u64; STATES as usize]>::zeroed();
    let open = counts.open();
    loop {
        let row = next_row.at(0).fetch_add(1);
        if row >= SIZE {
            break;
        }
        let mut in_row = [0; STATES as usize];
        for column in 0..SIZE {
            in_row[usize::from(cyclic::first(1, row, column))] += 1;
        }
        for (state, cells) in in_row.into_iter().enumerate() {
            open.at(0)[state].as_atomic().add(cells);
        }
    }
    drop(open);
    // ANCHOR_END: queue
    if this_image() == 0 {
        for (state, cells) in counts.iter().enumerate() {
            println!("state {state:2}: {cells} cells");
        }
        println!("all: {} cells", counts.iter().sum::<u64>());
    }
}
