//! How an image knows that no other image reaches its copy of a block any more.
//!
//! Of a plain coarray each image's copy is private while it is closed, so it may be used again as soon as its
//! owner drops it. Values that are shared from birth, such as coatomics, can be reached by every image that
//! still has the coarray. Dropping one must not wait for anybody, so who drops counts itself off on every
//! image's copy, and each image uses its own copy again when all have counted.

use crate::primitives::{AtomicU64, Ordering};

/// What precedes each block that other images may reach at any time, on each image.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Header {
    /// How many images have dropped the block.
    dropped: AtomicU64,
}

impl Header {
    /// Begins the life of a block, before any image has it.
    pub(crate) fn revive(&self) {
        self.dropped.store(0, Ordering::Relaxed);
    }

    /// Notes that an image will not reach this copy again.
    pub(crate) fn count_off(&self) {
        self.dropped.fetch_add(1, Ordering::Release);
    }

    /// Whether none of `images` images will reach this copy again; if so, all they did to it is over.
    pub(crate) fn is_dropped_by(&self, images: usize) -> bool {
        self.dropped.load(Ordering::Acquire) == images as u64
    }
}
