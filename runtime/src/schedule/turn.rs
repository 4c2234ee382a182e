//! The turn, which one image has.

use std::time::Duration;

use crate::primitives::{AtomicU64, Ordering, sleep_on_futex, wake};

/// After so long without a point, those who wait for the turn say so.
const LONG: Duration = Duration::from_secs(10);

const MINE: u64 = 1;

/// Whether an image has the turn; on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Turn(AtomicU64);

impl Turn {
    /// Gives it to the image. To be called by the one that has it.
    pub(super) fn give(&self) {
        // Release pairs with the Acquire in `take`: what was done so far is visible to the image.
        self.0.store(MINE, Ordering::Release);
        wake(&self.0);
    }

    /// Waits until the image has it; calls `on_long` each time that this has taken long.
    pub(super) fn take(&self, mut on_long: impl FnMut()) {
        // Acquire pairs with the Release in `give`.
        while self.0.swap(0, Ordering::Acquire) != MINE {
            if !sleep_on_futex(&self.0, 0, LONG) {
                on_long();
            }
        }
    }
}
