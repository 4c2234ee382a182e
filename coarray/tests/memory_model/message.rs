//! The messages of the tests, and checks of their arrival.

use std::time::{Duration, Instant};

use coarray::prelude::*;

/// How often a rule is tried.
pub const ROUNDS: u64 = 1000;

/// Data of several sizes, which are put by several instructions: half of a message would be noticed.
#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
pub struct Message {
    word: u64,
    row: [u64; 60],
    short: [u16; 4],
}

impl Message {
    /// The value of a place that nobody has put to.
    pub fn none() -> Self {
        Self::new(0, 0)
    }

    /// The message of image `from` in this round. Messages of different rounds share no word.
    pub fn new(round: u64, from: usize) -> Self {
        let word = |index: usize| round << 20 | (from as u64) << 10 | index as u64;
        Self {
            word: word(99),
            row: std::array::from_fn(word),
            short: std::array::from_fn(|index| {
                (round as u16) << 4 | (from as u16) << 2 | index as u16
            }),
        }
    }

    /// Puts it part by part: some by store instructions, some by copying, the last word first. In even rounds
    /// it is one asynchronous put without a wait.
    pub fn put(&self, place: &Coref<Self>) {
        if (self.word >> 20).is_multiple_of(2) {
            drop(place.put_async(*self));
            return;
        }
        let row = field!(place, row);
        row[59].put(self.row[59]);
        row[..59].put_from(&self.row[..59]);
        for (place, short) in field!(place, short)[..].iter().zip(self.short) {
            place.put(short);
        }
        field!(place, word).put(self.word);
    }

    /// Whether each word is from `one` or from `other`.
    pub fn is_mixture_of(&self, one: &Self, other: &Self) -> bool {
        let words = |message: &Self| {
            let rest = message.short.map(u64::from);
            [&[message.word], &message.row[..], &rest].concat()
        };
        let both = words(one).into_iter().zip(words(other));
        words(self)
            .into_iter()
            .zip(both)
            .all(|(word, (one, other))| word == one || word == other)
    }

    /// Asserts that the whole message is in `place`.
    #[track_caller]
    pub fn assert_in(&self, place: &Coref<Self>) {
        assert_eq!(field!(place, word).get(), self.word);
        assert_eq!(place.get(), *self);
    }
}

/// Waits until another image has made `condition` true, at most a minute.
#[track_caller]
pub fn until(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "waited a minute in vain");
        std::thread::yield_now();
    }
}

/// The image `distance` to the right, on a ring.
pub fn right(distance: usize) -> usize {
    (this_image() + distance) % num_images()
}

/// The image `distance` to the left, on a ring.
pub fn left(distance: usize) -> usize {
    (this_image() + num_images() - distance % num_images()) % num_images()
}
