//! What the guard of a phase lends, whatever its type.

use std::cell::RefCell;
use std::mem::forget;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context as Polling, Waker};

use coarray::asynchronous::{Cofuture, async_scope};
use coarray::places::{Access, ReadOnly, ReadWrite};
use coarray::prelude::*;

use crate::context::Context;
use crate::ledger::{How, Id};
use crate::program::{self, Fate};
use crate::word::{Mark, Word};

/// What the steps in a phase can do with its guard.
pub trait Lent {
    /// All words that nobody may write as long as the guard lives.
    fn watched(&self) -> Vec<u64>;

    /// Reaches an image's words.
    fn access(&self, image: usize, index: usize, access: program::Access);

    /// Begins so many asynchronous operations, and polls the last of them.
    fn burst(&self, image: usize, count: usize, waker: Option<&Waker>);

    /// What becomes of the asynchronous operations.
    fn settle(&self, fate: Fate);

    /// Does something in a scope of a get.
    fn scope(&self, image: usize, body: &mut dyn FnMut());
}

/// An asynchronous operation.
trait Pending {
    fn wait(self: Box<Self>) -> Option<u64>;

    fn is_ready(&self) -> bool;

    fn poll(&mut self, waker: &Waker) -> bool;
}

impl Pending for Cofuture<'_, ()> {
    fn wait(self: Box<Self>) -> Option<u64> {
        (*self).wait();
        None
    }

    fn is_ready(&self) -> bool {
        Cofuture::is_ready(self)
    }

    fn poll(&mut self, waker: &Waker) -> bool {
        Future::poll(Pin::new(self), &mut Polling::from_waker(waker)).is_ready()
    }
}

/// A get.
struct Fetched<'g, E>(Cofuture<'g, E>);

impl<E: Word> Pending for Fetched<'_, E> {
    fn wait(self: Box<Self>) -> Option<u64> {
        Some(self.0.wait().word())
    }

    fn is_ready(&self) -> bool {
        self.0.is_ready()
    }

    fn poll(&mut self, waker: &Waker) -> bool {
        Future::poll(Pin::new(&mut self.0), &mut Polling::from_waker(waker)).is_ready()
    }
}

/// What may be written through corefs, if anything.
pub trait Put: Access + Sized {
    fn put<E: Word>(_place: &Coref<[E], Self>, _index: usize, _values: &[E]) {}

    fn copy<E: Word>(_place: &Coref<[E], Self>, _source: &Coref<[E], Self>) {}

    fn fill<E: Word>(_place: &Coref<[E], Self>, _value: E) {}

    fn swap<E: Word>(_place: &Coref<E, Self>, _value: E) {}

    fn put_async<E: Word>(_place: &Coref<E, Self>, _value: E) -> Option<Cofuture<'_, ()>> {
        None
    }
}

impl Put for ReadOnly {}

impl Put for ReadWrite {
    fn put<E: Word>(place: &Coref<[E]>, index: usize, values: &[E]) {
        match values {
            [value] => place[index].put(*value),
            _ => place[index..].put_from(values),
        }
    }

    fn copy<E: Word>(place: &Coref<[E]>, source: &Coref<[E]>) {
        place.copy_from(source);
    }

    fn fill<E: Word>(place: &Coref<[E]>, value: E) {
        place.fill(value);
    }

    fn swap<E: Word>(place: &Coref<E>, value: E) {
        E::swap(place, value);
    }

    fn put_async<E: Word>(place: &Coref<E>, value: E) -> Option<Cofuture<'_, ()>> {
        Some(place.put_async(value))
    }
}

/// A coarray or run of words in a phase.
pub struct View<'g, E: Word, A: Access> {
    pub context: &'g Context,
    pub id: Id,
    pub how: How,
    /// How many images have it.
    pub images: usize,
    pub at: &'g dyn Fn(usize) -> &'g Coref<[E], A>,
    /// The words of an image that is to be seen by reference.
    pub seen: &'g dyn Fn(usize) -> Option<Vec<u64>>,
    pending: RefCell<Vec<Box<dyn Pending + 'g>>>,
}

/// The words of an image, and which of them another one may reach.
type Share<'g, E, A> = (&'g Coref<[E], A>, Range<usize>);

impl<'g, E: Word, A: Put> View<'g, E, A> {
    pub fn new(
        (context, id, how, images): (&'g Context, Id, How, usize),
        at: &'g dyn Fn(usize) -> &'g Coref<[E], A>,
        seen: &'g dyn Fn(usize) -> Option<Vec<u64>>,
    ) -> Self {
        let pending = RefCell::default();
        Self {
            context,
            id,
            how,
            images,
            at,
            seen,
            pending,
        }
    }

    /// The words of an image, which must have lent them.
    fn place(&self, image: usize) -> Option<&'g Coref<[E], A>> {
        let place = (self.at)(image % self.images);
        if place.is_empty() {
            return None;
        }
        let first = place[0].get().word();
        let (ledger, length) = (&self.context.job.ledger, place.len());
        ledger.check(self.id, self.how, place.image(), first, length);
        Some(place)
    }

    /// The words of an image, and which of them this one may reach, if any.
    fn share(&self, image: usize) -> Option<Share<'g, E, A>> {
        let place = self.place(image)?;
        let share = self.context.share(place.len());
        (!share.is_empty()).then_some((place, share))
    }

    fn arrived(&self, words: impl IntoIterator<Item = u64>) {
        for word in words {
            if Mark::read(word).is_none() {
                let text = format!("{:?} gets {word:#x}, which nobody wrote", self.id);
                self.context.job.ledger.accuse(text);
            }
        }
    }

    fn value(&self) -> E {
        E::of(self.context.mark(self.id.1))
    }
}

impl<E: Word, A: Put> Lent for View<'_, E, A> {
    fn watched(&self) -> Vec<u64> {
        (0..self.images).filter_map(self.seen).flatten().collect()
    }

    fn access(&self, image: usize, index: usize, access: program::Access) {
        let Some((place, share)) = self.share(image) else {
            return;
        };
        let one = share.start + index % share.len();
        let values = || share.clone().map(|_| self.value()).collect::<Vec<E>>();
        match access {
            program::Access::Get => self.arrived([place[one].get().word()]),
            program::Access::GetAll => {
                let mut words = values();
                place[share].get_into(&mut words);
                self.arrived(words.into_iter().map(Word::word));
            }
            program::Access::Put => A::put(place, one, &[self.value()]),
            program::Access::PutAll => A::put(place, share.start, &values()),
            program::Access::Fill => A::fill(&place[share], self.value()),
            program::Access::Swap => A::swap(&place[one], self.value()),
            program::Access::Copy => {
                let source = self.share(image + 1 + index);
                if let Some((source, _)) = source.filter(|(_, other)| *other == share) {
                    A::copy(&place[share.clone()], &source[share]);
                }
            }
        }
    }

    fn burst(&self, image: usize, count: usize, waker: Option<&Waker>) {
        // Once, as nothing is left under way when it has been looked at.
        let Some((place, share)) = self.share(image) else {
            return;
        };
        let mut last: Option<Box<dyn Pending + '_>> = None;
        for number in 0..count {
            let index = share.start + number % share.len();
            let put = (number % 2 == 1)
                .then(|| A::put_async(&place[index], self.value()))
                .flatten();
            let next: Box<dyn Pending + '_> = match put {
                Some(put) => Box::new(put),
                None => Box::new(Fetched(place[index].get_async())),
            };
            self.pending.borrow_mut().extend(last.replace(next));
        }
        let Some(mut last) = last else {
            return;
        };
        self.context.is_polling.set(true);
        let is_ready = waker.is_some_and(|waker| last.poll(waker));
        self.context.is_polling.set(false);
        // What is polled to its end has no second result.
        if !is_ready {
            self.pending.borrow_mut().push(last);
        }
    }

    fn settle(&self, fate: Fate) {
        let pending = self.pending.take();
        match fate {
            Fate::Wait => {
                for operation in pending {
                    self.arrived(operation.wait());
                }
            }
            Fate::Drop => drop(pending),
            Fate::Forget => forget(pending),
            Fate::Ask => {
                let _ = pending
                    .iter()
                    .filter(|operation| operation.is_ready())
                    .count();
                self.pending.borrow_mut().extend(pending);
            }
        }
    }

    fn scope(&self, image: usize, body: &mut dyn FnMut()) {
        let Some((place, share)) = self.share(image) else {
            return body();
        };
        let mut words = vec![self.value(); share.len()];
        async_scope(|scope| {
            let get = place[share].get_into_async(&mut words[..], scope);
            if image.is_multiple_of(2) {
                forget(get);
            } else {
                drop(get);
            }
            self.context.callback();
            body();
        });
        self.arrived(words.into_iter().map(Word::word));
    }
}
