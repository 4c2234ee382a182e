//! The clauses, section by section.

pub mod asynchronous;
pub mod atomics;
pub mod collectives;
pub mod end_of_program;
pub mod errors;
pub mod events;
pub mod halos;
pub mod images;
pub mod irregular;
pub mod memory;
pub mod mutexes;
pub mod ordering;
pub mod pairs;
pub mod published;
pub mod ragged;
pub mod teams;
pub mod transfers;
pub mod whole_arrays;

use crate::clause::{Clause, Section};

/// All sections, in order.
pub const SECTIONS: &[Section] = &[
    images::SECTION,
    memory::SECTION,
    transfers::SECTION,
    asynchronous::SECTION,
    ordering::SECTION,
    atomics::SECTION,
    events::SECTION,
    mutexes::SECTION,
    pairs::SECTION,
    teams::SECTION,
    collectives::SECTION,
    ragged::SECTION,
    published::SECTION,
    errors::SECTION,
    end_of_program::SECTION,
    halos::SECTION,
    whole_arrays::SECTION,
    irregular::SECTION,
];

/// All clauses, in order.
pub fn all() -> impl Iterator<Item = &'static Clause> {
    SECTIONS.iter().flat_map(|section| section.clauses)
}
