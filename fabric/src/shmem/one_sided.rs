//! Put, get and atomics by the calls of the library.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::task::Waker;

use shmem_sys::{
    shmem_fence, shmem_getmem, shmem_getmem_nbi, shmem_putmem, shmem_putmem_nbi, shmem_quiet,
    uint64,
};

use crate::atomic::{AtomicOperation, Word};
use crate::completion::{Completer, completion};
use crate::fabric::{Fabric, Message};
use crate::issued::note_issued;
use crate::request::{Buffer, Request};
use crate::shmem::atomics;
use crate::shmem::mailbox::Mailbox;
use crate::shmem::symmetric::{Block, number};
use crate::shmem::under_way::{Direction, UnderWay};

/// How many operations may be issued and not complete. Those of programs that issue on and on, and wait for nothing, would
/// fill the memory otherwise.
const ISSUED_AT_MOST: usize = 1024;

/// The way of one image to the parts of all.
///
/// All is in the default context. One of its own for what is issued would complete apart; but Open MPI lets a process that
/// waits for a context serve that context only, so that two images that wait for each other, over a network that needs their
/// help, would never come to an end.
#[derive(Debug)]
pub(super) struct OneSided {
    parts: Block,
    mailbox: Mailbox,
    under_way: UnderWay,
    issued: RefCell<Vec<Issued>>,
    has_noted: Cell<bool>,
}

/// What belongs to an operation that has been issued, until it is complete.
#[derive(Debug)]
struct Issued {
    image: usize,
    buffer: Buffer,
    completer: Completer<Buffer>,
}

impl OneSided {
    /// The way to parts that are blocks of symmetric memory.
    pub(super) fn new(parts: Block, mailbox: Mailbox, images: usize) -> Self {
        Self {
            parts,
            mailbox,
            under_way: UnderWay::new(images),
            issued: RefCell::default(),
            has_noted: Cell::new(false),
        }
    }

    /// Collective. Completes everything, and gives the memory back.
    pub(super) fn end(&self) {
        self.complete();
        self.mailbox.block().free();
        self.parts.free();
    }

    /// Completes what touches the same bytes.
    #[inline]
    fn make_way(&self, image: usize, direction: Direction, range: &Range<usize>) {
        if self.under_way.hinders(image, direction, range) {
            self.complete();
        }
    }

    /// Notes an operation that was begun.
    #[inline]
    fn add(&self, image: usize, direction: Direction, range: Range<usize>) {
        self.under_way.add(image, direction, range);
        self.note(true);
    }

    #[inline]
    fn note(&self, any: bool) {
        if self.has_noted.replace(any) != any {
            note_issued(any);
        }
    }

    /// Completes all of this image's operations. Wakers are not the library's code, and may panic: they come last.
    fn complete(&self) {
        // SAFETY: the library is started.
        unsafe { shmem_quiet() };
        self.under_way.clear();
        self.note(false);
        if self.issued.borrow().is_empty() {
            return;
        }
        let issued = self.issued.take().into_iter();
        let wakers: Vec<_> = issued
            .filter_map(|one| one.completer.complete(one.buffer))
            .collect();
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Whether nothing is under way, and an operation that begins need not be noted elsewhere: what most programs find, which
    /// complete one put after the other.
    #[inline(always)]
    fn is_free(&self) -> bool {
        !self.under_way.any() && self.has_noted.get()
    }

    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_another(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        let range = offset..offset + length;
        self.make_way(image, Direction::Put, &range);
        if self.under_way.is_full(image) {
            self.complete();
        }
        // SAFETY: the caller vouches for both ranges.
        unsafe { shmem_putmem(self.parts.at(offset), source.cast(), length, number(image)) };
        self.add(image, Direction::Put, range);
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
        mut buffer: Buffer,
        direction: Direction,
    ) -> Request {
        let length = buffer.length();
        let range = offset..offset + length;
        self.make_way(image, direction, &range);
        if self.under_way.is_full(image) || self.issued.borrow().len() >= ISSUED_AT_MOST {
            self.complete();
        }
        let (place, memory) = (self.parts.at(offset), buffer.start().cast());
        // SAFETY: the caller vouches for both ranges until the operation is complete; until then, the buffer stays here.
        unsafe {
            match direction {
                Direction::Put => shmem_putmem_nbi(place, memory, length, number(image)),
                Direction::Get => shmem_getmem_nbi(memory, place, length, number(image)),
            }
        }
        self.add(image, direction, range);
        let (completer, completion) = completion();
        self.issued.borrow_mut().push(Issued {
            image,
            buffer,
            completer,
        });
        Request::new(image, completion)
    }
}

impl Fabric for OneSided {
    /// What is rare is called last, so that the rest needs no registers to be saved.
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        if !self.is_free() {
            // SAFETY: passed on.
            return unsafe { self.put_another(image, offset, source, length) };
        }
        self.under_way
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
        self.under_way
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

    /// The library cannot tell which operations are complete: this completes them all, and waits for it.
    fn progress(&self) -> bool {
        if !self.issued.borrow().is_empty() {
            self.complete();
        }
        // Somebody was woken, and may have issued more.
        !self.issued.borrow().is_empty()
    }

    fn wait(&self, request: &Request) {
        if !request.is_complete() {
            self.complete();
        }
    }

    fn fence(&self, image: usize) {
        if self.issued.borrow().iter().any(|one| one.image == image) {
            self.complete();
        } else if self.under_way.any_of(image) {
            // They stay noted: a fence does not order later gets.
            // SAFETY: the library is started.
            unsafe { shmem_fence() };
        }
    }

    fn quiet(&self) {
        if !self.under_way.any() {
            return self.note(false);
        }
        if !self.issued.borrow().is_empty() {
            return self.complete();
        }
        // SAFETY: the library is started.
        unsafe { shmem_quiet() };
        // It stays noted, until there is nothing to complete: programs that complete one put after the other do not pay for it.
        self.under_way.clear();
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

    fn send(&self, image: usize, message: &[u8]) {
        self.mailbox.send(image, message);
    }

    fn receive(&self) -> Option<Message> {
        self.mailbox.receive()
    }
}
