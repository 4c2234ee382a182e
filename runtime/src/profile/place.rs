//! Where images do what profiles tell of.

/// A line of the program, and what images do there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, or the end of its path; empty if what images do is not at a line of the program.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// What images do there.
    pub activity: String,
}
