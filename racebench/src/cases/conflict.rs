//! Pairs of accesses with nothing between them.

use crate::Case;

mod asynchronous;
mod containers;
mod runs;
mod sections;
mod structs;
mod words;

pub(super) const FILES: &[&[Case]] = &[
    words::CASES,
    structs::CASES,
    runs::CASES,
    sections::CASES,
    asynchronous::CASES,
    containers::CASES,
];
