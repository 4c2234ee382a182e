//! A case, and the groups of cases.

use std::fmt;

use crate::marks::{self, Mark};

/// What the cases of a group are about. The first three are groups of RMARaceBench as well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Every pair of accesses, with nothing between them.
    Conflict,
    /// What orders accesses: barriers, fences and flags, locks, teams, collectives.
    Sync,
    /// Coatomics, and plain values that are used as such.
    Atomic,
    /// Events, and puts that notify.
    Notify,
    /// Other ways to write the same: helpers, aliases, loops; large arrays; conveyors.
    Misc,
}

/// All groups, in the order of the table.
pub const GROUPS: [Group; 5] = [
    Group::Conflict,
    Group::Sync,
    Group::Atomic,
    Group::Notify,
    Group::Misc,
];

impl fmt::Display for Group {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Conflict => "conflict",
            Self::Sync => "sync",
            Self::Atomic => "atomic",
            Self::Notify => "notify",
            Self::Misc => "misc",
        })
    }
}

/// A program that all images of a job run, and what is to be said of it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The name of its function.
    pub name: &'static str,
    /// What every image runs.
    pub body: fn(),
    /// Whether two of its accesses race.
    pub is_racy: bool,
    /// The least number of images.
    pub least_images: usize,
    /// Whether it depends on who takes a lock first: then one run of many is enough to see the race.
    pub is_by_luck: bool,
    /// Whether images fail, and the others go on.
    pub keeps_going: bool,
    /// Its file, as locations name it.
    pub file: &'static str,
    /// What is in that file.
    pub source: &'static str,
}

impl Case {
    /// A case whose accesses the rules order.
    #[must_use]
    pub const fn clean(
        name: &'static str,
        body: fn(),
        file: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            name,
            body,
            is_racy: false,
            least_images: 2,
            is_by_luck: false,
            keeps_going: false,
            file,
            source,
        }
    }

    /// A case with a race, whose lines are marked in the source.
    #[must_use]
    pub const fn racy(
        name: &'static str,
        body: fn(),
        file: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            is_racy: true,
            ..Self::clean(name, body, file, source)
        }
    }

    /// The same case, for no fewer than so many images.
    #[must_use]
    pub const fn from(mut self, images: usize) -> Self {
        self.least_images = images;
        self
    }

    /// The same case, whose race some runs do not have.
    #[must_use]
    pub const fn by_luck(mut self) -> Self {
        self.is_by_luck = true;
        self
    }

    /// The same case, in a job that goes on when images fail.
    #[must_use]
    pub const fn keeps_going(mut self) -> Self {
        self.keeps_going = true;
        self
    }

    /// The lines that race.
    ///
    /// # Panics
    /// If the source has marks that cannot be read.
    #[must_use]
    pub fn marks(&self) -> Vec<Mark> {
        marks::of(self.name, self.source)
    }
}

/// The cases of the file that it is written in: `cases!("file.rs": clean one; racy other.by_luck();)`.
macro_rules! cases {
    ($file:literal: $($label:ident $name:ident $(.$with:ident($($value:literal)?))*;)*) => {
        pub(super) const CASES: &[$crate::Case] = &[$(
            $crate::Case::$label(stringify!($name), $name, file!(), include_str!($file))
                $(.$with($($value)?))*,
        )*];
    };
}
pub(crate) use cases;
