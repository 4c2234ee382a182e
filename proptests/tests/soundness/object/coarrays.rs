//! Coarrays of words.

use std::ops::Range;

use coarray::places::{Access, Shape, Values};
use coarray::prelude::*;

use super::{Lease, Object, span_of, words};
use crate::ledger::How;
use crate::view::{Lent, View};
use crate::word::Word;

/// A shape that is a run of words.
pub trait Flat: Shape<Item: Remote<Element = <Self as Flat>::Word>> + 'static {
    type Word: Word;

    fn place<A: Access>(place: &Coref<Self, A>) -> &Coref<[Self::Word], A>;

    fn items(&self) -> &[Self::Word];

    fn items_mut(&mut self) -> &mut [Self::Word];
}

impl<E: Word, const N: usize> Flat for [E; N] {
    type Word = E;

    fn place<A: Access>(place: &Coref<Self, A>) -> &Coref<[E], A> {
        place.into()
    }

    fn items(&self) -> &[E] {
        self
    }

    fn items_mut(&mut self) -> &mut [E] {
        self
    }
}

impl<E: Word> Flat for [E] {
    type Word = E;

    fn place<A: Access>(place: &Coref<Self, A>) -> &Coref<Self, A> {
        place
    }

    fn items(&self) -> &[E] {
        self
    }

    fn items_mut(&mut self) -> &mut [E] {
        self
    }
}

impl<T: ?Sized + Flat> Object for Coarray<T>
where
    Self: Values,
{
    fn look(&self) -> Vec<u64> {
        words((**self).items())
    }

    fn span(&self) -> Range<usize> {
        span_of((**self).items())
    }

    fn write(&mut self, word: &mut dyn FnMut(usize) -> u64) {
        for (index, item) in (**self).items_mut().iter_mut().enumerate() {
            *item = T::Word::of(word(index));
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
                let Ok(guard) = self.try_open() else {
                    return false;
                };
                let at = |image| T::place(guard.at(image));
                body(&View::new((context, id, how, images), &at, &|_| None));
                lease.finish(guard)
            }
            How::Published => {
                let guard = self.publish();
                let at = |image| T::place(guard.at(image));
                let seen = |image| guard.try_ref(image).map(|items| words(items.items()));
                body(&View::new((context, id, how, images), &at, &seen));
                lease.finish(guard)
            }
        }
    }

    fn broadcast(&mut self, root: usize) {
        co_broadcast(self, root);
    }
}
