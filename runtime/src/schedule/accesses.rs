//! The puts and gets at which images may switch.

use std::collections::HashSet;

use super::history::{Line, Site};

/// The puts and gets at which a strategy may have images switch.
#[derive(Clone, Debug)]
pub enum Accesses {
    /// All of them.
    All,
    /// Those at these lines.
    At(HashSet<Line>),
}

impl Accesses {
    /// Adds those at more lines.
    pub fn add(&mut self, more: HashSet<Line>) {
        if let Self::At(lines) = self {
            lines.extend(more);
        }
    }

    pub(super) fn include(&self, site: Site) -> bool {
        match self {
            Self::All => true,
            Self::At(lines) => site.is_some_and(|line| lines.contains(line)),
        }
    }
}
