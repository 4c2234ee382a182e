//! The bytes from the first to the last of several places.

use crate::transport::access::Access;

/// The smallest range that contains all places of some set.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundingRange {
    start: usize,
    end: usize,
}

impl BoundingRange {
    pub(super) const NOTHING: Self = Self {
        start: usize::MAX,
        end: 0,
    };

    pub(super) fn of(access: Access) -> Self {
        Self {
            start: access.start(),
            end: access.end(),
        }
    }

    /// The smallest range that contains both.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    #[inline]
    pub(super) fn is_nothing(self) -> bool {
        self.end == 0
    }

    #[inline]
    pub(super) fn overlaps(self, access: Access) -> bool {
        access.start() < self.end && self.start < access.end()
    }
}
