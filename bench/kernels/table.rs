//! A table of words that is spread over the images, for kernels that update it at random.

use std::hint::black_box;

use coarray::prelude::*;

/// A table of 2^`bits` words. Each image has a run of consecutive words.
#[derive(Debug)]
pub struct Table {
    layout: Layout,
    words: Coarray<[u64]>,
}

/// Where the words of a table are.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Number of words, less 1.
    mask: u64,
    words_per_image: u64,
    /// 2^64 divided by `words_per_image`, rounded up.
    inverse: u64,
}

impl Table {
    /// Collective. A table in which word `i` is `i`; `bits` is from 1 to 32.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        let layout = Layout::new(bits, num_images());
        let first = this_image() as u64 * layout.words_per_image;
        Self {
            layout,
            words: Coarray::<[u64]>::from_fn(layout.words_per_image as usize, |index| {
                first + index as u64
            }),
        }
    }

    /// Where its words are.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Local. Updates this image's own words as RandomAccess does.
    ///
    /// # Panics
    /// If the word of a number is on another image.
    pub fn update_own(&mut self, numbers: &[u64]) {
        let first = this_image() as u64 * self.layout.words_per_image;
        let words = &mut *self.words;
        for &number in numbers {
            let index = (number & self.layout.mask).wrapping_sub(first);
            words[index as usize] ^= number;
        }
    }

    /// Collective. Lets all images update all words.
    pub fn open(&mut self) -> Open<'_, [u64]> {
        self.words.open()
    }

    /// Collective. How many words are not their index.
    #[must_use]
    pub fn errors(&self) -> u64 {
        let first = this_image() as u64 * self.layout.words_per_image;
        // Of more images than divide the table, the last have words that are not part of it, and stay as they are.
        let words = self.words.iter().zip(first..);
        let mut errors = words.filter(|&(&word, index)| word != index).count() as u64;
        co_sum(&mut errors);
        errors
    }
}

impl Layout {
    fn new(bits: u32, images: usize) -> Self {
        assert!((1..=32).contains(&bits));
        // At least 2, for the inverse of 1 is 2^64.
        let words_per_image = (1_u64 << bits).div_ceil(images as u64).max(2);
        Self {
            mask: (1 << bits) - 1,
            words_per_image,
            inverse: u64::MAX / words_per_image + 1,
        }
    }

    /// The image that has the word that a random number stands for, and the word's index there. The number's lowest bits
    /// are the index in the table.
    #[inline]
    #[must_use]
    pub fn place(&self, number: u64) -> (usize, usize) {
        let index = number & self.mask;
        // A division takes longer than an update. Both factors are so small that the product is exact enough.
        let image = ((u128::from(index) * u128::from(self.inverse)) >> 64) as u64;
        (
            image as usize,
            (index - image * self.words_per_image) as usize,
        )
    }
}

/// How many updates an image looks ahead; RandomAccess allows for 1024.
const AHEAD: usize = 256;

/// Updates a table as RandomAccess does. An update of another image to the same word at the same moment may be lost.
pub fn update(table: &Open<'_, [u64]>, layout: Layout, numbers: impl Iterator<Item = u64>) {
    in_batches(table, layout, numbers, |word, number| {
        word.put(word.get() ^ number);
    });
}

/// Updates a table as RandomAccess does, each word in one piece.
pub fn update_atomically(
    table: &Open<'_, [u64]>,
    layout: Layout,
    numbers: impl Iterator<Item = u64>,
) {
    in_batches(table, layout, numbers, |word, number| {
        word.as_atomic().xor(number);
    });
}

/// Calls `update` for every number and its word. The words of a batch are brought near all at the same time before the
/// first is updated, because the processor waits for one thing at a time where it also has to write.
fn in_batches(
    table: &Open<'_, [u64]>,
    layout: Layout,
    mut numbers: impl Iterator<Item = u64>,
    update: impl Fn(&Coref<u64>, u64),
) {
    let word = |number| {
        let (image, index) = layout.place(number);
        &table.at(image)[index]
    };
    let mut batch = Vec::with_capacity(AHEAD);
    loop {
        batch.clear();
        batch.extend(numbers.by_ref().take(AHEAD));
        if batch.is_empty() {
            return;
        }
        let seen = batch.iter().map(|&number| word(number).get());
        black_box(seen.fold(0, |sum, value| sum ^ value));
        for &number in &batch {
            update(word(number), number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_place_of_its_own() {
        for bits in [1, 3, 10] {
            for images in 1..9 {
                let layout = Layout::new(bits, images);
                let all: Vec<_> = (0..1 << bits).map(|index| layout.place(index)).collect();
                for (index, &(image, place)) in all.iter().enumerate() {
                    assert!(image < images);
                    assert_eq!(image * layout.words_per_image as usize + place, index);
                    assert!(place < layout.words_per_image as usize);
                }
            }
        }
    }

    #[test]
    fn the_last_word_of_a_large_table_is_on_the_last_image() {
        let layout = Layout::new(32, 7);
        let (image, place) = layout.place(u64::MAX);
        assert_eq!(
            image as u64 * layout.words_per_image + place as u64,
            (1 << 32) - 1
        );
    }
}
