//! What an image shows the others when it enters a meeting.

use crate::lockfree::tally::Tally;
use crate::primitives::{AtomicU64, Ordering};

/// What an image is doing, in words that are compared exactly.
pub(crate) type Tag = [u64; 4];

/// How many words an image brings to a meeting, for all others to read.
pub(crate) const WORDS: usize = 3;

/// How many bytes that is.
pub const CARD_BYTES: usize = WORDS * size_of::<u64>();

/// Words in shared memory.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Words<const N: usize>([AtomicU64; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Self([(); N].map(|()| AtomicU64::default()))
    }
}

impl<const N: usize> Words<N> {
    #[inline]
    pub(crate) fn write(&self, words: &[u64; N]) {
        for (cell, word) in self.0.iter().zip(words) {
            cell.store(*word, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(crate) fn equals(&self, words: &[u64; N]) -> bool {
        self.0
            .iter()
            .zip(words)
            .all(|(cell, word)| cell.load(Ordering::Relaxed) == *word)
    }

    #[inline]
    pub(crate) fn read(&self) -> [u64; N] {
        std::array::from_fn(|word| self.0[word].load(Ordering::Relaxed))
    }
}

/// One image's entry into a meeting: one cache line, written by that image and read by all.
///
/// There are two, for consecutive meetings. An image may run ahead of another by one meeting, never by two: so
/// a card is not written again before everyone has read it.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Card {
    /// The number of the last meeting that was entered with this card.
    pub(crate) signal: Tally,
    tag: Words<4>,
    words: Words<WORDS>,
}

const _: () = assert!(size_of::<Card>() == 64 || cfg!(not(target_pointer_width = "64")));

impl Card {
    /// Brings words, before the image enters.
    #[inline]
    pub(crate) fn bring(&self, words: &[u64; WORDS]) {
        self.words.write(words);
    }

    /// Enters meeting number `number`.
    #[inline]
    pub(crate) fn enter(&self, number: u64, tag: &Tag) {
        self.tag.write(tag);
        self.signal.raise_to(number);
    }

    /// Whether the image has entered that meeting, one of the two latest with this card.
    #[inline]
    pub(crate) fn has_entered(&self, number: u64) -> bool {
        self.signal.has_reached(number)
    }

    /// Whether the image, which has entered, does the same.
    #[inline]
    pub(crate) fn agrees(&self, tag: &Tag) -> bool {
        self.tag.equals(tag)
    }

    /// What the image, which has entered, is doing.
    pub(crate) fn tag(&self) -> Tag {
        self.tag.read()
    }

    /// What the image, which has entered, brought; if it brought nothing, anything.
    #[inline]
    pub(crate) fn words(&self) -> [u64; WORDS] {
        self.words.read()
    }
}
