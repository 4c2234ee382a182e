//! What orders accesses.

use crate::Case;

mod barriers;
mod collectives;
mod completion;
mod failures;
mod fences;
mod flags;
mod locks;
mod pairs;
mod quiet;
mod teams;

pub(super) const FILES: &[&[Case]] = &[
    barriers::CASES,
    fences::CASES,
    quiet::CASES,
    flags::CASES,
    completion::CASES,
    locks::CASES,
    teams::CASES,
    pairs::CASES,
    collectives::CASES,
    failures::CASES,
];
