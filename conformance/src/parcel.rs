//! The data that images send each other when order is tested.

use coarray::{Coref, Remote, field};

use crate::check::Check;

/// Data of several sizes, which several operations send: half of a parcel would be noticed.
#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
pub struct Parcel {
    word: u64,
    row: [u64; 60],
    short: [u16; 4],
}

impl Parcel {
    /// The value of a place that nobody has put to.
    #[must_use]
    pub fn none() -> Self {
        Self::of(0, 0)
    }

    /// The parcel of image `from` in this round. Parcels of different rounds share no word.
    #[must_use]
    pub fn of(round: u64, from: usize) -> Self {
        let word = |index: usize| round << 20 | (from as u64) << 10 | index as u64;
        Self {
            word: word(99),
            row: std::array::from_fn(word),
            short: std::array::from_fn(|index| (round as u16) << 5 | index as u16),
        }
    }

    /// Puts the parcel part by part, the last word first. In even rounds it is one asynchronous put without a wait.
    pub fn send(&self, place: &Coref<Self>) {
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

    /// Returns whether the whole parcel is in `place`, and notes differences.
    #[track_caller]
    pub fn look_for(&self, check: &mut Check, place: &Coref<Self>) -> bool {
        let seen = place.get();
        check.same_items("the row of a parcel", &seen.row, &self.row);
        check.same("the words of a parcel", seen.rest(), self.rest());
        seen == *self
    }

    fn rest(&self) -> (u64, [u16; 4]) {
        (self.word, self.short)
    }
}
