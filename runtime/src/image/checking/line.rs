//! The lines of the program that synchronise.

use crate::check::record::is_of_library;
use crate::check::sites::Line;
use crate::image::checking::Checking;
use coarray_fabric::transport::site::purpose;

impl Checking {
    /// Whether this call at a line is to order nothing. Counts it.
    pub(super) fn is_ignored(&self, line: Line, name: &'static str) -> bool {
        self.count_call(line, name);
        self.0.check.policy.ignores(line)
    }

    /// Counts a call of the program that orders what images access, if such lines are to be known.
    pub(crate) fn count_call(&self, line: Line, name: &'static str) {
        if let Some(lines) = &self.0.check.ordering_lines
            && purpose().is_none_or(|purpose| purpose.caller.is_some())
            && !is_of_library(line.file())
        {
            lines.count(line, name);
        }
    }
}
