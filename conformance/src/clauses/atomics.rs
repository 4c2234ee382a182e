//! 6. Atomic operations.

mod counting;
mod in_flight;
mod operations;
mod order;
mod waits;

use crate::clause::{Clause, Section};

/// The section.
pub const SECTION: Section = Section {
    number: 6,
    title: "atomic operations",
    clauses: &[
        Clause::new(
            "6.1",
            "every operation on integers of every width does what it says, on any image",
            operations::integers,
        ),
        Clause::new(
            "6.2",
            "sums, minima and maxima of floats do, and prefer numbers to NaN",
            operations::floats,
        ),
        Clause::new(
            "6.3",
            "logic on truth values does",
            operations::truth_values,
        ),
        Clause::new(
            "6.4",
            "structs and arrays are loaded, stored, swapped, and compared and exchanged",
            operations::structs,
        ),
        Clause::new(
            "6.5",
            "compare_exchange compares bytes, and changes nothing if they differ",
            operations::comparison,
        ),
        Clause::new(
            "6.6",
            "no addition is lost when all images, the owner too, add to one word",
            counting::one_word,
        ),
        Clause::new(
            "6.7",
            "nor when they use the forms that return nothing",
            counting::without_result,
        ),
        Clause::new(
            "6.8",
            "nor on any of the words when all add to all",
            counting::all_words,
        ),
        Clause::new(
            "6.9",
            "nor on bytes and short words that lie side by side",
            counting::neighbours,
        ),
        Clause::new(
            "6.10",
            "nor on floats, by whatever loop they are added",
            counting::floats,
        ),
        Clause::new(
            "6.11",
            "nor when images exchange a struct by compare_exchange",
            counting::structs,
        ),
        Clause::new(
            "6.12",
            "no two images get the same value from an addition",
            counting::tickets,
        ),
        Clause::new(
            "6.13",
            "one image only wins an exchange, and what is swapped in comes out once",
            counting::exchanges,
        ),
        Clause::new(
            "6.14",
            "no bit that images set, clear or turn over is lost",
            counting::bits,
        ),
        Clause::new(
            "6.15",
            "the smallest and the largest of all stay",
            counting::extremes,
        ),
        Clause::new(
            "6.16",
            "words of an open coarray take part by as_atomic",
            counting::words_of_open_coarrays,
        ),
        Clause::new(
            "6.17",
            "nobody sees the value of a coatomic go back",
            order::never_back,
        ),
        Clause::new(
            "6.18",
            "a value of any size is never torn",
            order::never_torn,
        ),
        Clause::new(
            "6.19",
            "an image sees its own operations on a coatomic in order",
            order::own_order,
        ),
        Clause::new(
            "6.20",
            "two words that two images fence between are read in one order",
            order::fenced_words,
        ),
        Clause::new(
            "6.21",
            "an image that waits for a value goes on when others have made it so, on whatever word of it",
            waits::values,
        ),
        Clause::new(
            "6.22",
            "after a fence it sees what was put before a fence before the value",
            waits::data_before_value,
        ),
        Clause::new(
            "6.23",
            "a wait for a value that takes too long returns",
            waits::timeouts,
        ),
        Clause::new(
            "6.24",
            "operations in flight return the old values in the order of the program",
            in_flight::old_values_in_order,
        ),
        Clause::new(
            "6.25",
            "those that return nothing are complete after `quiet`, and none is lost",
            in_flight::counted,
        ),
        Clause::new(
            "6.26",
            "every value of a list of indices counts, repeats too, when all images change the same items",
            in_flight::lists,
        ),
        Clause::new(
            "6.27",
            "slices are loaded and stored in one call, of words of every width and by locks",
            in_flight::slices,
        ),
    ],
};
