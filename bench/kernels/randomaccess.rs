//! RandomAccess of the HPC Challenge: how fast the images together update words at random places of a table that is
//! spread over them.
//!
//! ```text
//! table[r mod 2^LOG2SIZE] ^= r        for 4 * 2^LOG2SIZE random numbers r, a part of the sequence on each image
//! ```
//!
//! Each image conveys its numbers to the images that have the words, in packets; only the image that has a word updates it, in plain local memory,
//! and no update is lost. An image may look 1024 updates ahead: so many wait to leave at most.
//!
//! Afterwards, and not timed, all updates are repeated one by one with atomic operations, which undoes them: every word must
//! have its first value again.

use coarray::irregular::{Conveyor, ConveyorOptions};
use coarray::prelude::*;
use prk::table::{Table, update_atomically};
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, sequence, share};

const PROGRAM: Program = Program {
    name: "hpcc-randomaccess",
    about: "RandomAccess of the HPC Challenge on coarrays: updates of a table at random",
    parameters: &[Parameter::new(
        "LOG2SIZE",
        "the table has 2^LOG2SIZE words; at least 1 for each image",
        (1, 32),
    )],
};

/// How many updates an image may look ahead.
const AHEAD: usize = 1024;

#[coarray::main]
fn main() {
    let Some([bits]) = PROGRAM.arguments() else {
        return;
    };
    PROGRAM.need(1, "words", 1 << bits);
    describe(&PROGRAM, &[bits]);
    let (table, seconds) = run(bits as u32);
    let updates = (4_u64 << bits) as f64;
    conclude(validate(&table), (updates / 1e9, "GUPS/s"), 1, seconds);
}

/// Collective. Updates a new table and undoes it; returns it, and the time of the updates.
fn run(bits: u32) -> (Table, f64) {
    let (me, images) = (this_image(), num_images());
    let updates = share(4 << bits, images, me);
    let numbers = || sequence::after(sequence::at(updates.start as u64)).take(updates.len());
    let mut table = Table::new(bits);
    let layout = table.layout();
    let mut conveyor = Conveyor::<u64>::with_options(ConveyorOptions {
        packet_bytes: (AHEAD / images).max(1) * size_of::<u64>(),
        ..Default::default()
    });
    let clock = Clock::start();
    let items = numbers().map(move |number| (layout.place(number).0, number));
    conveyor.convey_slices(items, |_, numbers| table.update_own(numbers));
    let seconds = clock.seconds();
    update_atomically(&table.open(), layout, numbers());
    (table, seconds)
}

/// Collective. Counts the words that are not what they were at first.
fn validate(table: &Table) -> Result<(), Wrong> {
    check("the number of wrong words", table.errors() as f64, 0.0, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        for bits in [2, 5, 13] {
            let (mut table, _) = run(bits);
            assert_eq!(validate(&table), Ok(()));
            let layout = table.layout();
            let one = (3..4).filter(|_| this_image() == 0);
            update_atomically(&table.open(), layout, one);
            assert!(validate(&table).is_err());
        }
    }
}
