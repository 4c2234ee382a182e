//! RandomAccess of the HPC Challenge: how fast the images together update words at random places of a table that is
//! spread over them.
//!
//! ```text
//! table[r mod 2^LOG2SIZE] ^= r        for 4 * 2^LOG2SIZE random numbers r, a part of the sequence on each image
//! ```
//!
//! An update is a get and a put of a word wherever it is, so that no image has more than a few updates under way, where
//! 1024 would be allowed. Two images that update the same word at the same moment can lose one of the updates.
//! Afterwards, and not timed, all updates are repeated atomically, which undoes them; at most 1 % of the words may
//! then be wrong.

use coarray::prelude::*;
use prk::table::{Table, update, update_atomically};
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, sequence, share};

const PROGRAM: Program = Program {
    name: "hpcc-randomaccess",
    about: "RandomAccess of the HPC Challenge on coarrays: updates of a table at random",
    parameters: &[Parameter {
        name: "LOG2SIZE",
        meaning: "the table has 2^LOG2SIZE words; at least 1 for each image",
        allowed: (1, 32),
        default: None,
    }],
};

#[coarray::main]
fn main() {
    let Some([bits]) = PROGRAM.arguments() else {
        return;
    };
    PROGRAM.need(1, "words", 1 << bits);
    describe(&PROGRAM, &[bits]);
    let (table, seconds) = run(bits as u32);
    let updates = (4_u64 << bits) as f64;
    conclude(
        validate(&table, bits),
        (updates / 1e9, "GUPS/s"),
        1,
        seconds,
    );
}

/// Collective. Updates a new table and undoes it; returns it, and the time of the updates.
fn run(bits: u32) -> (Table, f64) {
    let mine = share(4 << bits, num_images(), this_image());
    let numbers = || sequence::after(sequence::at(mine.start as u64)).take(mine.len());
    let mut table = Table::new(bits);
    let layout = table.layout();
    let open = table.open();
    let clock = Clock::start();
    update(&open, layout, numbers());
    let seconds = clock.seconds();
    sync_all();
    update_atomically(&open, layout, numbers());
    drop(open);
    (table, seconds)
}

/// Collective. Counts the words that are not what they were at first.
fn validate(table: &Table, bits: usize) -> Result<(), Wrong> {
    let allowed = 0.01 * (1_u64 << bits) as f64;
    check(
        "the number of wrong words",
        table.errors() as f64,
        0.0,
        allowed,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        // In small tables more than 1 % may be lost.
        let bits = 17;
        let (mut table, _) = run(bits);
        assert_eq!(validate(&table, bits as usize), Ok(()));
        let layout = table.layout();
        let some = (100..3000).filter(|_| this_image() == 0);
        update_atomically(&table.open(), layout, some);
        assert!(validate(&table, bits as usize).is_err());
    }
}
