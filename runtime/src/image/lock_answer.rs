//! The answer to a request for a lock on another node.

use std::cell::Cell;

use crate::lockfree::queue_lock::NotAcquired;

/// The answer that an image waits for, once it has come.
#[derive(Debug, Default)]
pub(crate) struct LockAnswer {
    pub(crate) outcome: Cell<Option<Outcome>>,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Granted,
    /// The requesting image holds the lock, which that image poisoned.
    GrantedPoisoned(usize),
    Refused(NotAcquired),
}

impl Outcome {
    pub(crate) fn to_words(self) -> Option<[u64; 2]> {
        Some(match self {
            Self::Granted => [0, 0],
            Self::GrantedPoisoned(by) => [1, by as u64],
            Self::Refused(NotAcquired::Busy(holder)) => [2, holder as u64],
            Self::Refused(NotAcquired::AlreadyHeld) => [3, 0],
            Self::Refused(NotAcquired::Poisoned(by)) => [4, by as u64],
            Self::Refused(NotAcquired::TimedOut) => [5, 0],
            // All images learn of the end of the job anyway.
            Self::Refused(NotAcquired::Ended) => return None,
        })
    }

    pub(crate) fn from_words([kind, image]: [u64; 2]) -> Self {
        let image = image as usize;
        match kind {
            0 => Self::Granted,
            1 => Self::GrantedPoisoned(image),
            2 => Self::Refused(NotAcquired::Busy(image)),
            3 => Self::Refused(NotAcquired::AlreadyHeld),
            4 => Self::Refused(NotAcquired::Poisoned(image)),
            _ => Self::Refused(NotAcquired::TimedOut),
        }
    }
}
