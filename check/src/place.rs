//! Where something is in the sources.

use proc_macro2::Span;

/// A line and a column, both from 1, of the file with this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    pub(crate) fn new(file: usize, span: Span) -> Self {
        let start = span.start();
        Self {
            file,
            line: start.line,
            column: start.column + 1,
        }
    }
}
