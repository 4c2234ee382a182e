//! 3. Put and get.

mod global;
mod lists;
mod order;
mod regions;
mod runs;
mod values;

use crate::clause::{Clause, Section};

/// The section.
pub const SECTION: Section = Section {
    number: 3,
    title: "put and get",
    clauses: &[
        Clause::new(
            "3.1",
            "a number of any width put to any image is got by any image",
            values::numbers,
        ),
        Clause::new("3.2", "so are floats, with all their bits", values::floats),
        Clause::new(
            "3.3",
            "so are truth values, characters, enums, and numbers that are not zero",
            values::checked,
        ),
        Clause::new("3.4", "so are structs and nested arrays", values::structs),
        Clause::new(
            "3.5",
            "a member of a struct is put and got without the others",
            values::members,
        ),
        Clause::new(
            "3.6",
            "a run of bytes of any length at any place arrives, and nothing beside it",
            runs::unaligned,
        ),
        Clause::new(
            "3.7",
            "so does a run of several pages, or of a MiB",
            runs::long,
        ),
        Clause::new("3.8", "a row is put and got at once", runs::rows),
        Clause::new(
            "3.9",
            "a column is put and got at once, and nothing beside it",
            runs::columns,
        ),
        Clause::new("3.10", "so is a section with any step", runs::sections),
        Clause::new("3.11", "fill stores a value in all elements", runs::fill),
        Clause::new(
            "3.12",
            "copy_from copies between any two images",
            runs::copy_from,
        ),
        Clause::new(
            "3.13",
            "runs and sections of no items are allowed",
            runs::empty,
        ),
        Clause::new(
            "3.14",
            "of several puts of an image to a place the last one stays",
            order::last_put_stays,
        ),
        Clause::new(
            "3.15",
            "that holds for runs that overlap, too",
            order::overlapping_puts,
        ),
        Clause::new(
            "3.16",
            "a get sees what its image put to the place before",
            order::get_after_put,
        ),
        Clause::new(
            "3.17",
            "it does not see what its image puts to the place after",
            order::put_after_get,
        ),
        Clause::new(
            "3.18",
            "an image's puts, gets and atomic operations on a place are in order",
            order::atomics_and_puts,
        ),
        Clause::new(
            "3.19",
            "puts of several images to neighbouring bytes do not disturb each other",
            order::neighbouring_bytes,
        ),
        Clause::new(
            "3.20",
            "a word that several images put at the same time is one of theirs",
            order::racing_words,
        ),
        Clause::new(
            "3.21",
            "a region of several dimensions, with steps, is put and got at once, and nothing beside it",
            regions::blocks,
        ),
        Clause::new(
            "3.22",
            "it takes its place in the order of what its image puts and gets there",
            regions::in_order,
        ),
        Clause::new(
            "3.23",
            "regions are copied between any two images, and where they overlap",
            regions::copies,
        ),
        Clause::new(
            "3.24",
            "the items that a list of indices names are got and put, of equal indices the last",
            lists::gather_and_scatter,
        ),
        Clause::new(
            "3.25",
            "an array whose extents are known at run time only has places, rows, columns and blocks",
            regions::run_time_extents,
        ),
        Clause::new(
            "3.26",
            "items that a list names by their index in the whole array are got and put on all images, of equal indices the last",
            global::gather_and_scatter,
        ),
        Clause::new(
            "3.27",
            "parts are reached by the coordinates of their images, also where the last row is not full",
            global::coordinates,
        ),
        Clause::new(
            "3.28",
            "what is read-only shows what others put to it",
            global::read_only,
        ),
        Clause::new(
            "3.29",
            "in columns, parts are reached by coordinates of which the first counts fastest, and each neighbour is there once",
            global::columns,
        ),
    ],
};
