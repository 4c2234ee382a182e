//! Coatomics, and plain values that are used as such.

use crate::Case;

mod coatomics;
mod plain_values;

pub(super) const FILES: &[&[Case]] = &[coatomics::CASES, plain_values::CASES];
