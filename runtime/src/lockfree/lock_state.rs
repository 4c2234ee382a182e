//! The words of a lock. They name images by their numbers plus one.

use crate::primitives::{AtomicU32, Ordering};

/// An image's number in shared memory, plus one; 0 for none.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Link(AtomicU32);

impl Link {
    #[inline]
    pub(crate) fn get(&self) -> Option<usize> {
        (self.0.load(Ordering::Relaxed) as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn set(&self, image: Option<usize>) {
        self.0.store(packed(image) as u32, Ordering::Relaxed);
    }
}

#[inline]
pub(crate) fn packed(image: Option<usize>) -> u64 {
    image.map_or(0, |image| image as u64 + 1)
}

/// Why an image does not get a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAcquired {
    /// That image holds it.
    Busy(usize),
    /// It holds the lock already.
    AlreadyHeld,
    /// That image failed or panicked while it held it.
    Poisoned(usize),
    /// Another image still held it at the deadline.
    TimedOut,
    /// The job has ended.
    Ended,
}

/// The holder of a lock, who queues for it, and the image whose failure poisoned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(pub(crate) u64);

pub(crate) const HOLDER: u64 = (1 << LAST) - 1;

/// Where the place of the last in the queue is, of a lock that is changed through a fabric.
pub(crate) const LAST: u32 = 21;

/// Images may wait in the queue, of a lock that is changed by instructions.
pub(crate) const QUEUED: u64 = 1 << LAST;

pub(crate) const POISONER: u32 = 43;

impl State {
    pub(crate) const FREE: Self = Self(0);

    /// All bits but those of the poisoner.
    pub(crate) const UNPOISONED: u64 = (1 << POISONER) - 1;

    #[inline]
    pub(crate) fn holder(self) -> Option<usize> {
        ((self.0 & HOLDER) as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn poisoner(self) -> Option<usize> {
        ((self.0 >> POISONER) as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn is_queued(self) -> bool {
        self.0 & QUEUED != 0
    }

    #[inline]
    pub(crate) fn held_by(self, image: Option<usize>) -> Self {
        Self(self.0 & !HOLDER | packed(image))
    }

    #[inline]
    pub(crate) fn queued(self, queued: bool) -> Self {
        Self(self.0 & !QUEUED | if queued { QUEUED } else { 0 })
    }

    #[inline]
    pub(crate) fn poisoned_by(self, image: Option<usize>) -> Self {
        match image {
            Some(_) => Self(self.0 & Self::UNPOISONED | packed(image) << POISONER),
            None => self,
        }
    }
}
