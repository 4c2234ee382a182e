//! Ragged coarrays.

use std::num::NonZeroU64;
use std::ops::Range;

use coarray::places::Access;
use coarray::prelude::*;

use super::{Lease, Object, span_of};
use crate::ledger::How;
use crate::view::{Lent, View};
use crate::word::Word;

/// An item of some words.
pub trait Row: Remote + 'static {
    type Word: Word;

    fn place<A: Access>(place: &Coref<[Self], A>) -> &Coref<[Self::Word], A>
    where
        Self: Sized;

    fn words(&self) -> Vec<u64>;

    /// An item, of words that are counted from that on.
    fn of(word: &mut dyn FnMut(usize) -> u64, index: usize) -> Self;
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Row for $word {
            type Word = Self;

            fn place<A: Access>(place: &Coref<[Self], A>) -> &Coref<[Self], A> {
                place
            }

            fn words(&self) -> Vec<u64> {
                vec![Word::word(*self)]
            }

            fn of(word: &mut dyn FnMut(usize) -> u64, index: usize) -> Self {
                Word::of(word(index))
            }
        }
    )*};
}

words!(u64, NonZeroU64);

impl<const N: usize> Row for [u64; N] {
    type Word = u64;

    fn place<A: Access>(place: &Coref<[Self], A>) -> &Coref<[u64], A> {
        place.shape_cast::<[u64]>()
    }

    fn words(&self) -> Vec<u64> {
        self.to_vec()
    }

    fn of(word: &mut dyn FnMut(usize) -> u64, index: usize) -> Self {
        std::array::from_fn(|column| word(N * index + column))
    }
}

fn words<T: Row>(rows: &[T]) -> Vec<u64> {
    rows.iter().flat_map(Row::words).collect()
}

impl<T: Row> Object for Ragged<T> {
    fn look(&self) -> Vec<u64> {
        words(self)
    }

    fn span(&self) -> Range<usize> {
        span_of(self)
    }

    fn write(&mut self, word: &mut dyn FnMut(usize) -> u64) {
        for (index, row) in self.iter_mut().enumerate() {
            *row = T::of(word, index);
        }
    }

    fn lend(&mut self, lease: &Lease<'_>, body: &mut dyn FnMut(&dyn Lent)) -> bool {
        let Lease {
            context,
            id,
            how,
            images,
            ..
        } = *lease;
        match how {
            How::Open => {
                let guard = self.open();
                let at = |image| T::place(guard.at(image));
                body(&View::new((context, id, how, images), &at, &|_| None));
                lease.finish(guard)
            }
            How::Published => {
                let guard = self.publish();
                let at = |image| T::place(guard.at(image));
                let seen = |image| guard.try_ref(image).map(words);
                body(&View::new((context, id, how, images), &at, &seen));
                lease.finish(guard)
            }
        }
    }

    fn replace(&mut self, length: usize, word: &mut dyn FnMut(usize) -> u64) {
        Ragged::replace(self, length, |index| T::of(word, index));
    }
}

/// The middle one of three rows.
pub struct RowAmongOthers(pub RaggedRows<u64>);

impl Object for RowAmongOthers {
    fn look(&self) -> Vec<u64> {
        assert_eq!((&self.0[0], &self.0[2]), (&[0; 3][..], &[0; 3][..]));
        self.0[1].to_vec()
    }

    fn span(&self) -> Range<usize> {
        span_of(&self.0[1])
    }

    fn write(&mut self, word: &mut dyn FnMut(usize) -> u64) {
        for (index, item) in self.0[1].iter_mut().enumerate() {
            *item = word(index);
        }
    }

    fn lend(&mut self, lease: &Lease<'_>, body: &mut dyn FnMut(&dyn Lent)) -> bool {
        let Lease {
            context,
            id,
            how,
            images,
            ..
        } = *lease;
        match how {
            How::Open => {
                let guard = self.0.open();
                let at = |image| guard.at(image).row(1);
                body(&View::new((context, id, how, images), &at, &|_| None));
                lease.finish(guard)
            }
            How::Published => {
                let guard = self.0.publish();
                let at = |image| guard.at(image).rows()[1];
                let seen = |image| guard.at(image).try_ref(1).map(words);
                body(&View::new((context, id, how, images), &at, &seen));
                lease.finish(guard)
            }
        }
    }

    fn replace(&mut self, length: usize, word: &mut dyn FnMut(usize) -> u64) {
        self.0.replace(1, length, word);
    }
}
