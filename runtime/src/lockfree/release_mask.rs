//! Release masks: how an image knows that no other image accesses its copy of a block any more.
//!
//! While a plain coarray is closed, each image's copy is private, so it is free as soon as its owner drops it. Values
//! that are shared from birth, such as coatomics, can be accessed by every image that still has the coarray. Dropping
//! one must not wait, so each image's copy has a [`ReleaseMask`] of the team: an image that drops the block sets its
//! bit in the mask of every copy, and each image reuses its own copy when all bits are set or their images gone.

use crate::primitives::{AtomicU64, Ordering};

/// Precedes each block that other images may access at any time, on each image: a bit for each image of the team, set
/// when it has dropped the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReleaseMask<'a> {
    words: &'a [AtomicU64],
    images: usize,
}

/// How many words the mask for `images` images has.
pub(crate) const fn mask_words(images: usize) -> usize {
    images.div_ceil(u64::BITS as usize)
}

impl<'a> ReleaseMask<'a> {
    /// The mask for `images` images in these words.
    pub(crate) fn new(words: &'a [AtomicU64], images: usize) -> Self {
        debug_assert_eq!(words.len(), mask_words(images));
        Self { words, images }
    }

    /// Clears the mask of a new block, before any other image has the block.
    pub(crate) fn clear(self) {
        for word in self.words {
            // Relaxed: the barrier after which other images get the block publishes it.
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Records that the image with this index will not access this copy again.
    pub(crate) fn release(self, index: usize) {
        let (word, bit) = place(index);
        // Pairs with the Acquire in `is_empty`: the accesses of the image come before the reuse of the copy.
        self.words[word].fetch_or(bit, Ordering::Release);
    }

    /// The bit that [`release`](Self::release) sets, and its word.
    pub(crate) fn bit(self, index: usize) -> (&'a AtomicU64, u64) {
        let (word, bit) = place(index);
        (&self.words[word], bit)
    }

    /// Whether no image will access this copy again; if so, all their accesses are over.
    ///
    /// `is_gone(index)` may become true only when the image accesses the copy no more.
    pub(crate) fn is_empty(self, is_gone: impl Fn(usize) -> bool) -> bool {
        (0..self.images).all(|index| {
            let (word, bit) = place(index);
            // Pairs with the Release in `release`.
            self.words[word].load(Ordering::Acquire) & bit != 0 || is_gone(index)
        })
    }
}

fn place(index: usize) -> (usize, u64) {
    let bits = u64::BITS as usize;
    (index / bits, 1 << (index % bits))
}
