//! What an image shows the others when it enters a barrier.

use crate::lockfree::eventcount::Eventcount;
use crate::primitives::{AtomicU64, Ordering};

/// What an image is doing, in words that are compared exactly.
pub(crate) type Signature = [u64; 4];

/// How many words an image brings to a barrier, for all others to read.
pub(crate) const WORDS: usize = 3;

/// How many bytes that is.
pub const PAYLOAD_BYTES: usize = WORDS * size_of::<u64>();

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

/// One image's entry into a barrier: one cache line, written by that image and read by all.
///
/// There are two, for consecutive barriers. An image may run ahead of another by one barrier, never by two: so
/// a arrival is not written again before everyone has read it.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Arrival {
    /// The number of the last barrier that was entered with this arrival.
    pub(crate) signal: Eventcount,
    signature: Words<4>,
    words: Words<WORDS>,
}

const _: () = assert!(size_of::<Arrival>() == 64 || cfg!(not(target_pointer_width = "64")));

impl Arrival {
    /// Brings words, before the image enters.
    #[inline]
    pub(crate) fn bring(&self, words: &[u64; WORDS]) {
        self.words.write(words);
    }

    /// Enters barrier number `number`.
    #[inline]
    pub(crate) fn enter(&self, number: u64, signature: &Signature) {
        self.signature.write(signature);
        self.signal.advance_to(number);
    }

    /// Whether the image has entered that barrier, one of the two latest with this arrival.
    #[inline]
    pub(crate) fn has_entered(&self, number: u64) -> bool {
        self.signal.has_reached(number)
    }

    /// Whether the image, which has entered, does the same.
    #[inline]
    pub(crate) fn agrees(&self, signature: &Signature) -> bool {
        self.signature.equals(signature)
    }

    /// What the image, which has entered, is doing.
    pub(crate) fn signature(&self) -> Signature {
        self.signature.read()
    }

    /// What the image, which has entered, brought; if it brought nothing, anything.
    #[inline]
    pub(crate) fn words(&self) -> [u64; WORDS] {
        self.words.read()
    }
}
