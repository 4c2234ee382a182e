//! Words that say who wrote them.

use std::hint::black_box;
use std::num::NonZeroU64;

use coarray::prelude::*;

/// What travels here: eight bytes, for some of which zero is no value.
pub trait Word: Remote<Element = Self> + 'static {
    fn of(word: u64) -> Self;

    fn word(self) -> u64;

    /// Swaps atomically where there is an instruction for it.
    fn swap(place: &Coref<Self>, value: Self) {
        place.put(value);
    }
}

impl Word for u64 {
    fn swap(place: &Coref<Self>, value: Self) {
        place.as_atomic().swap(value);
    }

    fn of(word: u64) -> Self {
        word
    }

    fn word(self) -> u64 {
        self
    }
}

impl Word for usize {
    fn swap(place: &Coref<Self>, value: Self) {
        place.as_atomic().swap(value);
    }

    fn of(word: u64) -> Self {
        word as Self
    }

    fn word(self) -> u64 {
        self as u64
    }
}

impl Word for NonZeroU64 {
    fn of(word: u64) -> Self {
        Self::new(word).expect("marks are not zero")
    }

    fn word(self) -> u64 {
        // The compiler may not conclude anything from the type: it is what is put to the test.
        black_box(self).get()
    }
}

/// Who wrote a word, into which of its objects. No two words that are written have the same mark, but for those that name
/// an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The number of the image among all.
    pub image: usize,
    /// The number of the object on that image.
    pub serial: usize,
    /// Counts the words; 0 in the first word of an object, which only its owner writes.
    pub count: usize,
}

/// In the upper sixteen bits of all marks.
const SIGNATURE: u64 = 0xC0A7 << 48;

impl Mark {
    pub fn word(self) -> u64 {
        let count = (self.count & 0xF_FFFF) as u64;
        SIGNATURE | (self.image as u64 & 0xFF) << 40 | (self.serial as u64 & 0xF_FFFF) << 20 | count
    }

    pub fn read(word: u64) -> Option<Self> {
        (word >> 48 == SIGNATURE >> 48).then_some(Self {
            image: (word >> 40 & 0xFF) as usize,
            serial: (word >> 20 & 0xF_FFFF) as usize,
            count: (word & 0xF_FFFF) as usize,
        })
    }
}
