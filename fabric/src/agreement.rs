//! How all images agree, without a message, on which blocks of the symmetric heap are free again.
//!
//! Dropping a coarray must not wait for anybody, so each image only writes a mark in the header of its
//! own copy of the block: the number of the next collective allocation. When allocation `k` has passed
//! its barrier, a block is free exactly if *every* image marked it with a number of at most `k`. A mark
//! made before entering allocation `k` is at most `k` and is visible after the barrier; a fast image
//! that already left the barrier and drops more writes `k + 1`, which a slow one ignores. So all
//! images come to the same answer, whenever they look.
//!
//! A block that was found free in allocation `k` may be used again only from the next barrier on:
//! until then a slow image still reads its header.

use crate::primitives::{AtomicU64, Ordering};

/// What precedes each block of the symmetric heap, on each image.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Header {
    /// Number of the first allocation that may see the block as dropped by this image; 0 while alive.
    dropped: AtomicU64,
}

impl Header {
    /// Makes this image's copy of a new block alive.
    pub(crate) fn revive(&self) {
        self.dropped.store(0, Ordering::Relaxed);
    }

    /// Marks this image's copy as dropped; `allocations` is how many this image has entered so far.
    pub(crate) fn mark_dropped(&self, allocations: u64) {
        self.dropped.store(allocations + 1, Ordering::Relaxed);
    }

    /// Whether the image that owns this header had dropped the block when it entered `allocation`.
    pub(crate) fn is_dropped_at(&self, allocation: u64) -> bool {
        let mark = self.dropped.load(Ordering::Relaxed);
        mark != 0 && mark <= allocation
    }
}
