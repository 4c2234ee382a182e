//! Which operations are late, and how late: by chance, or as a schedule says.

use std::collections::HashMap;

use super::generator::Generator;
use super::plan::{Anchored, Deviation, Late};

/// One operation of so many is late by chance.
const ONE_OF: u64 = 4;

/// Which operations are late, and how late.
#[derive(Debug)]
pub(super) enum Delays {
    Never,
    /// By chance, in a run of about so many steps.
    Seeded(Generator, u64),
    /// These.
    Replay(HashMap<(Late, u64), Option<u64>>),
    /// These, by image and the number among its own.
    Follow(HashMap<(Late, usize, u64), Option<u64>>),
}

impl Delays {
    pub(super) fn replay(deviations: &[Deviation]) -> Self {
        let delays = deviations.iter().filter_map(|deviation| match *deviation {
            Deviation::Delay {
                late,
                number,
                until,
            } => Some(((late, number), until)),
            Deviation::Switch { .. } => None,
        });
        Self::Replay(delays.collect())
    }

    pub(super) fn follow(deviations: &[Anchored]) -> Self {
        let delays = deviations.iter().filter_map(|deviation| match *deviation {
            Anchored::Delay {
                late,
                from,
                number,
                until,
            } => Some(((late, from, number), until)),
            Anchored::Switch { .. } => None,
        });
        Self::Follow(delays.collect())
    }

    /// Whether the operation of this number is late, which is an image's of that number: until when.
    pub(super) fn decide(
        &mut self,
        late: Late,
        number: u64,
        own: (usize, u64),
        step: u64,
    ) -> Option<Option<u64>> {
        match self {
            Self::Never => None,
            Self::Seeded(generator, steps) => (generator.below(ONE_OF) == 0).then(|| {
                // As late as it may be is what most mistakes need.
                let is_latest = generator.below(2) == 0;
                (!is_latest).then(|| step + 1 + generator.below(*steps))
            }),
            Self::Replay(delays) => delays.get(&(late, number)).copied(),
            Self::Follow(delays) => delays.get(&(late, own.0, own.1)).copied(),
        }
    }
}
