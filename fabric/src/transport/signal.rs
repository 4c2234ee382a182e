//! Signal words: counts that images of other nodes add to through the fabric.

use std::sync::atomic::{AtomicU64, Ordering};

/// A word that [`Fabric::signal`](crate::transport::fabric::Fabric::signal) adds to, and nothing else changes.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Signal(AtomicU64);

impl Signal {
    /// The sum of the signals that have arrived. What their images put here before is visible.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> u64 {
        // Pairs with the signal of a fabric, which comes after the puts.
        self.0.load(Ordering::Acquire)
    }

    /// Adds to the word, where an instruction reaches it.
    pub fn add(&self, amount: u64) {
        // Pairs with the Acquire in `sum`: the puts that came before are there.
        self.0.fetch_add(amount, Ordering::Release);
    }
}
