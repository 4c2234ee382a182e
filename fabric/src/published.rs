//! Words that images publish with a meeting, for all others to read after it.

use crate::primitives::{AtomicU64, Ordering};

/// How many words.
pub(crate) const PUBLISHED: usize = 4;

/// What one image published with its last two meetings, which take turns: an image may run ahead by one
/// meeting, never by two, so words are not overwritten before everyone has read them.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Published([[AtomicU64; PUBLISHED]; 2]);

impl Published {
    /// Publishes words with the coming meeting, whose number this is.
    pub(crate) fn write(&self, number: u64, words: [u64; PUBLISHED]) {
        for (cell, word) in self.0[(number & 1) as usize].iter().zip(words) {
            cell.store(word, Ordering::Relaxed);
        }
    }

    /// The words that were published with that meeting, which is over, when the next but one has not begun.
    pub(crate) fn read(&self, number: u64) -> [u64; PUBLISHED] {
        let cells = &self.0[(number & 1) as usize];
        [0, 1, 2, 3].map(|word: usize| cells[word].load(Ordering::Relaxed))
    }
}
