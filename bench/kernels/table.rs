//! A table of words that is spread over the images, for kernels that update it at random.

use coarray::Open;
use coarray::prelude::*;

use crate::share;

/// A table of 2^`bits` words. Each image has a run of consecutive words.
#[derive(Debug)]
pub struct Table {
    bits: u32,
    words: Coarray<[u64]>,
}

/// Where the words of an open table are: every image's, and the index of the first of them.
#[derive(Debug)]
pub struct Places<'a> {
    bits: u32,
    parts: Vec<(&'a Coref<[u64]>, usize)>,
}

impl Table {
    /// Collective. A table in which word `i` is `i`.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        let (images, mine) = (num_images(), share(1 << bits, num_images(), this_image()));
        let most = share(1 << bits, images, 0).len();
        Self {
            bits,
            words: Coarray::<[u64]>::from_fn(most, |index| (mine.start + index) as u64),
        }
    }

    /// Collective. Lets all images update all words.
    pub fn open(&mut self) -> Open<'_, [u64]> {
        self.words.open()
    }

    /// Collective. How many words are not their index.
    #[must_use]
    pub fn errors(&self) -> u64 {
        let mine = share(1 << self.bits, num_images(), this_image());
        let words = self.words.iter().zip(mine);
        let mut errors = words.filter(|&(&word, index)| word != index as u64).count() as u64;
        co_sum(&mut errors);
        errors
    }
}

impl<'a> Places<'a> {
    /// Where all words of a table of 2^`bits` words are.
    #[must_use]
    pub fn new(bits: u32, table: &'a Open<'_, [u64]>) -> Self {
        let images = num_images();
        let part = |image| (table.at(image), share(1 << bits, images, image).start);
        Self {
            bits,
            parts: (0..images).map(part).collect(),
        }
    }

    /// The word that a random number stands for: that of the number's lowest bits.
    #[inline]
    #[must_use]
    pub fn of(&self, number: u64) -> &'a Coref<u64> {
        let index = number as usize & ((1 << self.bits) - 1);
        // As `share` divides them.
        let image = index * self.parts.len() >> self.bits;
        let (part, start) = self.parts[image];
        &part[index - start]
    }

    /// Updates a word as RandomAccess does. An update of another image at the same moment may be lost.
    #[inline]
    pub fn update(&self, number: u64) {
        let word = self.of(number);
        word.put(word.get() ^ number);
    }

    /// Updates a word as RandomAccess does, in one piece.
    #[inline]
    pub fn update_atomically(&self, number: u64) {
        self.of(number).as_atomic().xor(number);
    }
}
