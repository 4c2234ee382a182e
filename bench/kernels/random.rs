//! Random of the Parallel Research Kernels: how fast the images together update words at random places of a table that
//! is spread over them.
//!
//! ```text
//! table[r mod 2^LOG2SIZE] ^= r        r runs through VECTOR_LENGTH sequences of random numbers
//! ```
//!
//! An update is a get and a put of a word wherever it is: no image is asked, and nothing is sorted or sent in
//! packets. Two images that update the same word at the same moment can lose one of the updates; the kernel allows for
//! 1 % of words that are wrong in the end. With ATOMIC 1 updates are atomic, and none may be lost. A second
//! pass repeats all updates, and so undoes them: every word must have its first value again.

use coarray::prelude::*;
use prk::table::{Table, update, update_atomically};
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, sequence, share};
use program::command_line::refuse;

const PROGRAM: Program = Program {
    name: "prk-random",
    about: "Random of the Parallel Research Kernels on coarrays: updates of a table at random",
    parameters: &[
        Parameter::new(
            "LOG2SIZE",
            "the table has 2^LOG2SIZE words; at least 1 for each image",
            (1, 32),
        ),
        Parameter::new(
            "UPDATE_RATIO",
            "updates for each word of the table, of both passes together",
            (1, 1 << 16),
        ),
        Parameter::new(
            "VECTOR_LENGTH",
            "sequences of random numbers, which are divided among the images",
            (1, 1 << 16),
        ),
        Parameter::new(
            "ATOMIC",
            "1 for atomic updates, of which none may be lost",
            (0, 1),
        )
        .or(0),
    ],
};

/// Where in the sequence of random numbers the first of our sequences begins.
const SEED: u64 = 834_568_137_686_317_453;

#[coarray::main]
fn main() {
    let Some([bits, ratio, sequences, atomic]) = PROGRAM.arguments() else {
        return;
    };
    PROGRAM.need(1, "words", 1 << bits);
    PROGRAM.need(1, "sequences", sequences);
    let updates = ratio << bits;
    if !updates.is_multiple_of(2 * sequences) {
        refuse(format_args!(
            "{updates} updates cannot be divided among two passes of {sequences} sequences; choose a VECTOR_LENGTH that is \
             a power of 2"
        ));
    }
    describe(&PROGRAM, &[bits, ratio, sequences, atomic]);
    let atomic = atomic == 1;
    let (table, seconds) = run(bits as u32, updates, sequences, atomic);
    conclude(
        validate(&table, bits, atomic),
        (updates as f64 / 1e9, "GUPS/s"),
        1,
        seconds,
    );
}

/// Collective. Updates a new table in both passes; returns it, and the time.
fn run(bits: u32, updates: usize, sequences: usize, atomic: bool) -> (Table, f64) {
    let mut table = Table::new(bits);
    let layout = table.layout();
    let open = table.open();
    let clock = Clock::start();
    for _ in 0..2 {
        for sequence in share(sequences, num_images(), this_image()) {
            let first = sequence::at(SEED + (updates / sequences * sequence) as u64);
            let numbers = sequence::after(first).take(updates / sequences / 2);
            if atomic {
                update_atomically(&open, layout, numbers);
            } else {
                update(&open, layout, numbers);
            }
        }
        // Nothing is undone before it is done.
        sync_all();
    }
    let seconds = clock.seconds();
    drop(open);
    (table, seconds)
}

/// Collective. Counts the words that are not what they were at first.
fn validate(table: &Table, bits: usize, atomic: bool) -> Result<(), Wrong> {
    let allowed = if atomic {
        0.0
    } else {
        0.01 * (1_u64 << bits) as f64
    };
    let errors = table.errors() as f64;
    check("the number of wrong words", errors, 0.0, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        let bits = 10;
        let (mut table, _) = run(bits, 8 << bits, 64, true);
        assert_eq!(validate(&table, bits as usize, true), Ok(()));
        let layout = table.layout();
        let once = |count| (0..count).filter(|_| this_image() == 0);
        update_atomically(&table.open(), layout, once(1));
        // The word with index 0 was updated by 0, which changes nothing.
        assert_eq!(validate(&table, bits as usize, true), Ok(()));
        update_atomically(&table.open(), layout, once(11));
        assert!(validate(&table, bits as usize, true).is_err());
        // 10 of 1024 words are less than 1 %.
        assert_eq!(validate(&table, bits as usize, false), Ok(()));
        update_atomically(&table.open(), layout, once(40).map(|word| word + 100));
        assert!(validate(&table, bits as usize, false).is_err());
    }
}
