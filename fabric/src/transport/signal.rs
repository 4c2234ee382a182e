//! Signal words: what images of other nodes change through the fabric, after what they put.

#[cfg(test)]
pub(crate) mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

/// What a signal does to its word.
///
/// Images that change a word at the same time do it by the same operation: MPI may assume that (MPI 3.1 section 11.2.1, `accumulate_ops`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalOperation {
    /// Replaces it.
    Set(u64),
    /// Adds to it, wrapping around.
    Add(u64),
}

/// A word that [`Fabric::put_signal`](crate::transport::fabric::Fabric::put_signal) changes, and nothing else.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Signal(AtomicU64);

impl Signal {
    /// The sum of the signals that have arrived, from the last one on that has set the word. What their images put here before is visible.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> u64 {
        // Pairs with the signal of a fabric, which comes after the puts.
        self.0.load(Ordering::Acquire)
    }

    /// Changes the word, where an instruction reaches it.
    pub fn change(&self, operation: SignalOperation) {
        // Pairs with the Acquire in `sum`: the puts that came before are there.
        match operation {
            SignalOperation::Set(value) => self.0.store(value, Ordering::Release),
            SignalOperation::Add(amount) => _ = self.0.fetch_add(amount, Ordering::Release),
        }
    }
}
