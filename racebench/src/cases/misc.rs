//! Other ways to write the same; large arrays; items that travel together; races on purpose.

use crate::Case;

mod items;
mod large;
mod lines;
mod purpose;

pub(super) const FILES: &[&[Case]] = &[lines::CASES, large::CASES, items::CASES, purpose::CASES];
