//! Other ways to write the same; large arrays; items that travel together.

use crate::Case;

mod items;
mod large;
mod lines;

pub(super) const FILES: &[&[Case]] = &[lines::CASES, large::CASES, items::CASES];
