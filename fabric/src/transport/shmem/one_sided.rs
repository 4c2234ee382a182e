//! Put, get and atomics by the calls of the library.

use std::cell::Cell;
use std::ops::Range;

use shmem_sys::{shmem_fence, shmem_getmem, shmem_putmem, shmem_quiet, uint64};

use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::deferral::wake;
use crate::transport::fabric::{Fabric, Message};
use crate::transport::pending::note_outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::shmem::atomics;
use crate::transport::shmem::channel::Channel;
use crate::transport::shmem::contexts::{Context, Contexts};
use crate::transport::shmem::in_flight::{Direction, InFlight};
use crate::transport::shmem::symmetric::{Block, number};

/// The way of one image to the parts of all.
///
/// What is done at once is in the default context, what is issued in several. The library keeps no order between contexts.
#[derive(Debug)]
pub(super) struct OneSided {
    parts: Block,
    channel: Channel,
    /// What is in flight in the default context.
    in_flight: InFlight,
    contexts: Contexts,
    /// Whether a fence has ordered what is in flight before all later puts.
    has_fenced: Cell<bool>,
    has_noted: Cell<bool>,
}

impl OneSided {
    /// The way to parts that are blocks of symmetric memory, in so many contexts at most.
    pub(super) fn new(parts: Block, channel: Channel, images: usize, contexts: usize) -> Self {
        Self {
            parts,
            channel,
            in_flight: InFlight::new(images),
            contexts: Contexts::new(images, contexts),
            has_fenced: Cell::new(false),
            has_noted: Cell::new(false),
        }
    }

    /// Collective. Completes everything, and gives the memory back.
    pub(super) fn end(&self) {
        self.complete_issued(|_| true);
        self.complete_puts();
        self.contexts.end();
        self.channel.block().free();
        self.parts.free();
    }

    /// Completes what touches the same bytes.
    #[inline]
    fn make_way(&self, image: usize, direction: Direction, range: &Range<usize>) {
        if self.contexts.have_any() {
            self.complete_issued(|context| context.conflicts(image, direction, range));
        }
        if self.in_flight.conflicts(image, direction, range) {
            self.complete_puts();
        }
    }

    #[inline]
    fn note(&self, any: bool) {
        if self.has_noted.replace(any) != any {
            note_outstanding(any);
        }
    }

    /// Completes what is in the default context: puts, and messages.
    fn complete_puts(&self) {
        // SAFETY: the library is started.
        unsafe { shmem_quiet() };
        self.in_flight.clear();
        self.note(self.contexts.have_any());
    }

    /// Completes what is issued in the streams that `which` says.
    #[inline(never)]
    fn complete_issued(&self, which: impl Fn(&Context) -> bool) {
        let wakers = self.contexts.complete(which);
        self.note(self.contexts.have_any() || self.in_flight.any());
        wake(wakers);
    }

    /// Whether nothing is in flight, and an operation that begins need not be noted elsewhere: what most programs find, which
    /// complete one put after the other.
    #[inline(always)]
    fn is_free(&self) -> bool {
        !self.in_flight.any() && self.has_noted.get() && !self.contexts.have_any()
    }

    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_another(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        let range = offset..offset + length;
        self.make_way(image, Direction::Put, &range);
        if self.in_flight.is_full(image) {
            self.complete_puts();
        }
        // SAFETY: the caller vouches for both ranges.
        unsafe { shmem_putmem(self.parts.at(offset), source.cast(), length, number(image)) };
        self.in_flight.add(image, Direction::Put, range);
        self.note(true);
    }

    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_another_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: passed on.
        unsafe { self.put_another(image, offset, (&raw const word).cast(), size_of::<u64>()) }
    }

    /// # Safety
    /// As [`Fabric::issue_put`] or [`Fabric::issue_get`].
    unsafe fn issue(
        &self,
        image: usize,
        offset: usize,
        buffer: Buffer,
        direction: Direction,
    ) -> Request {
        let range = offset..offset + buffer.length();
        self.make_way(image, direction, &range);
        if direction == Direction::Put && self.has_fenced.take() && self.in_flight.any() {
            self.complete_puts();
        }
        if self.contexts.are_full(image) {
            self.complete_issued(|_| true);
        }
        let are_puts = self.in_flight.any();
        // SAFETY: passed on.
        let request = unsafe {
            self.contexts
                .issue(self.parts, image, range, buffer, direction, are_puts)
        };
        self.note(true);
        request
    }
}

impl Fabric for OneSided {
    /// What is rare is called last, so that the rest needs no registers to be saved.
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        if !self.is_free() {
            // SAFETY: passed on.
            return unsafe { self.put_another(image, offset, source, length) };
        }
        self.in_flight
            .add_first(image, Direction::Put, offset..offset + length);
        // SAFETY: the caller vouches for both ranges.
        unsafe { shmem_putmem(self.parts.at(offset), source.cast(), length, number(image)) };
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        let length = size_of::<u64>();
        if !(self.is_free() && offset.is_multiple_of(length)) {
            // SAFETY: passed on.
            return unsafe { self.put_another_word(image, offset, word) };
        }
        self.in_flight
            .add_first(image, Direction::Put, offset..offset + length);
        // SAFETY: the caller vouches for the place, which is aligned, as parts begin at a page.
        unsafe { uint64::p(self.parts.at(offset).cast(), word, number(image)) };
    }

    #[inline]
    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        self.make_way(image, Direction::Get, &(offset..offset + length));
        // SAFETY: the caller vouches for both ranges.
        unsafe { shmem_getmem(target.cast(), self.parts.at(offset), length, number(image)) };
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        // SAFETY: passed on.
        unsafe { self.issue(image, offset, source, Direction::Put) }
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        // SAFETY: passed on.
        unsafe { self.issue(image, offset, target, Direction::Get) }
    }

    /// The library does not tell which operations are complete: this completes those issued first, and waits for it.
    fn progress(&self) -> bool {
        if let Some(oldest) = self.contexts.oldest() {
            self.complete_issued(|context| context.since() == oldest);
        }
        self.contexts.have_any()
    }

    fn wait(&self, request: &Request) {
        if !request.is_complete() {
            self.complete_issued(|context| context.has_any_of(request.image()));
        }
    }

    fn fence(&self, image: usize) {
        if self.contexts.have_any() {
            self.complete_issued(|context| context.has_any_of(image));
        }
        if self.in_flight.any_of(image) {
            // They stay noted: a fence does not order later gets.
            // SAFETY: the library is started.
            unsafe { shmem_fence() };
            self.has_fenced.set(true);
        }
    }

    fn quiet(&self) {
        if self.contexts.have_any() {
            self.complete_issued(|_| true);
        }
        if !self.in_flight.any() {
            return self.note(false);
        }
        // SAFETY: the library is started.
        unsafe { shmem_quiet() };
        // It stays noted, until there is nothing to complete: programs that complete one put after the other do not pay for it.
        self.in_flight.clear();
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        self.make_way(image, Direction::Put, &(offset..offset + word.bytes()));
        // SAFETY: the caller vouches for the word; parts begin at a page.
        unsafe { atomics::carry_out(self.parts.at(offset), number(image), word, operation) }
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        self.channel.send(image, message);
    }

    unsafe fn receive(&self) -> Option<Message> {
        self.channel.receive()
    }
}
