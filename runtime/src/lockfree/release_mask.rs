//! How an image knows that no other image reaches its copy of a block any more.
//!
//! Of a plain coarray each image's copy is private while it is closed, so it may be used again as soon as its
//! owner drops it. Values that are shared from birth, such as coatomics, can be reached by every image that
//! still has the coarray. Dropping one must not wait for anybody, so each image's copy has a [`ReleaseMask`] of the
//! team: who drops the block strikes itself off every copy's roll, and each image uses its own copy again when
//! all are struck off or gone.

use crate::primitives::{AtomicU64, Ordering};

/// What precedes each block that other images may reach at any time, on each image: a bit for each image of
/// the team, set when it has dropped the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReleaseMask<'a> {
    words: &'a [AtomicU64],
    images: usize,
}

/// How many words the roll of so many images has.
pub(crate) const fn mask_words(images: usize) -> usize {
    images.div_ceil(u64::BITS as usize)
}

impl<'a> ReleaseMask<'a> {
    /// The roll of `images` images in these words.
    pub(crate) fn new(words: &'a [AtomicU64], images: usize) -> Self {
        debug_assert_eq!(words.len(), mask_words(images));
        Self { words, images }
    }

    /// Begins the life of a block, before any image has it.
    pub(crate) fn clear(self) {
        for word in self.words {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Notes that the image with that index will not reach this copy again.
    pub(crate) fn release(self, index: usize) {
        let (word, bit) = place(index);
        self.words[word].fetch_or(bit, Ordering::Release);
    }

    /// What [`strike_off`](Self::strike_off) sets: a bit of a word.
    pub(crate) fn bit(self, index: usize) -> (&'a AtomicU64, u64) {
        let (word, bit) = place(index);
        (&self.words[word], bit)
    }

    /// Whether no image will reach this copy again; if so, all they did to it is over.
    ///
    /// `is_gone(index)` may become true only when nothing of the image can reach the copy any more.
    pub(crate) fn is_empty(self, is_gone: impl Fn(usize) -> bool) -> bool {
        (0..self.images).all(|index| {
            let (word, bit) = place(index);
            self.words[word].load(Ordering::Acquire) & bit != 0 || is_gone(index)
        })
    }
}

fn place(index: usize) -> (usize, u64) {
    let bits = u64::BITS as usize;
    (index / bits, 1 << (index % bits))
}
