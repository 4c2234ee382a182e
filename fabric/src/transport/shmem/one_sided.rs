//! The fabric of OpenSHMEM: put, get and atomics by calls of the library.

use std::sync::atomic::{Ordering, fence};

use shmem_sys::{shmem_fence, shmem_getmem, shmem_putmem, shmem_quiet, uint64, ulonglong};

use crate::transport::access::{Access, Direction};
use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::deferral::wake;
use crate::transport::fabric::{Fabric, Message};
use crate::transport::in_flight::InFlight;
use crate::transport::movement::Movement;
use crate::transport::pending::Outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::shmem::atomics;
use crate::transport::shmem::channel::Channel;
use crate::transport::shmem::contexts::{Context, Contexts};
use crate::transport::shmem::symmetric::{Block, number};
use crate::transport::signal::SignalOperation;
use crate::transport::signalled::Signalled;
use crate::transport::strided::{Run, Strided, reach_of};

/// The one-sided operations of one image.
///
/// Blocking operations use the default context, nonblocking ones several. OpenSHMEM orders nothing between contexts.
#[derive(Debug)]
pub(super) struct OneSided {
    parts: Block,
    channel: Channel,
    /// The puts in flight in the default context that no fence has followed.
    in_flight: InFlight,
    /// Those that a fence has ordered before all later puts and signals. It does not order gets, atomic operations that return something, and
    /// other contexts.
    fenced: InFlight,
    contexts: Contexts,
    outstanding: Outstanding,
    signals: Signalled,
}

impl OneSided {
    /// For parts that are blocks of symmetric memory, with at most `contexts` contexts.
    pub(super) fn new(parts: Block, channel: Channel, images: usize, contexts: usize) -> Self {
        Self {
            parts,
            channel,
            in_flight: InFlight::new(images),
            fenced: InFlight::new(images),
            contexts: Contexts::new(images, contexts),
            outstanding: Outstanding::default(),
            signals: Signalled::default(),
        }
    }

    /// Collective. Completes all operations, and frees the symmetric memory.
    pub(super) fn end(&self) {
        self.complete_contexts(|_| true);
        self.complete_default();
        self.contexts.end();
        self.channel.block().free();
        self.parts.free();
    }

    /// Completes the operations in flight that must take effect before this one, which a fence does not order.
    #[inline]
    fn complete_conflicts(&self, access: Access) {
        if self.contexts.have_any() || self.are_puts() {
            self.complete_conflicts_among(access);
        }
    }

    #[inline(never)]
    fn complete_conflicts_among(&self, access: Access) {
        self.complete_unfenced_conflicts(access);
        if self.fenced.conflicts(access) {
            self.complete_default();
        }
    }

    /// As [`complete_conflicts`](Self::complete_conflicts), before a put, which a fence orders.
    #[inline]
    fn complete_unfenced_conflicts(&self, access: Access) {
        if self.contexts.have_any() {
            self.complete_contexts(|context| context.conflicts(access));
        }
        if self.in_flight.conflicts(access) {
            self.complete_default();
        }
    }

    /// Whether puts are in flight in the default context.
    #[inline]
    fn are_puts(&self) -> bool {
        !self.in_flight.is_empty() || !self.fenced.is_empty()
    }

    fn forget_puts(&self) {
        self.in_flight.clear();
        self.fenced.clear();
    }

    /// Notes whether operations are in flight, in any context.
    #[inline]
    fn note(&self, any: bool) {
        match any {
            true => self.outstanding.begin(),
            // SAFETY: all contexts are complete, as the caller has seen.
            false => unsafe { self.outstanding.end() },
        }
    }

    /// Completes the default context: puts and messages.
    fn complete_default(&self) {
        // SAFETY: the library is initialised.
        unsafe { shmem_quiet() };
        self.forget_puts();
        self.note(self.contexts.have_any());
    }

    /// Completes the contexts for which `which` holds.
    #[inline(never)]
    fn complete_contexts(&self, which: impl Fn(&Context) -> bool) {
        let wakers = self.contexts.complete(which);
        self.note(self.contexts.have_any() || self.are_puts());
        wake(wakers);
    }

    /// Whether nothing is in flight that a put must follow, and the image is already noted as having outstanding operations: the common case of
    /// programs that complete, or signal, each put.
    #[inline(always)]
    fn is_free(&self) -> bool {
        self.in_flight.is_empty() && self.outstanding.get() && !self.contexts.have_any()
    }

    /// Notes a put that follows, after what it must follow is complete.
    fn enter(&self, put: Access) {
        self.complete_unfenced_conflicts(put);
        if !self.in_flight.insert(put) {
            self.complete_default();
            self.in_flight.insert(put);
        }
    }

    /// A put, whatever is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_when_busy(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.enter(Access::new(image, Direction::Put, offset, length));
        // SAFETY: the caller vouches for `length` readable bytes at the source and for the target, a symmetric address; `shmem_putmem` has read
        // the source when it returns.
        unsafe { shmem_putmem(self.parts.at(offset), source.cast(), length, number(image)) };
        self.note(true);
    }

    /// A put of one word, whatever is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_word_when_busy(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: `word` is readable until this returns; the caller vouches for the target.
        unsafe { self.put_when_busy(image, offset, (&raw const word).cast(), size_of::<u64>()) }
    }

    /// Starts a nonblocking operation.
    ///
    /// # Safety
    /// As [`Fabric::issue_put`] or [`Fabric::issue_get`].
    unsafe fn issue(
        &self,
        image: usize,
        offset: usize,
        buffer: Buffer,
        direction: Direction,
    ) -> Request {
        let access = Access::new(image, direction, offset, buffer.length());
        self.complete_conflicts(access);
        if direction == Direction::Put && !self.fenced.is_empty() {
            self.complete_default();
        }
        if self.contexts.are_full(image) {
            self.complete_contexts(|_| true);
        }
        let are_puts = self.are_puts();
        // SAFETY: the access is as long as the buffer; the caller vouches for the target, and for a lent buffer until completion.
        let request = unsafe { self.contexts.issue(self.parts, access, buffer, are_puts) };
        self.note(true);
        request
    }
}

impl Fabric for OneSided {
    fn outstanding(&self) -> &Outstanding {
        &self.outstanding
    }

    /// The cold path is a tail call, so that the hot path needs no prologue.
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        if !self.is_free() {
            // SAFETY: the caller vouches for source and target.
            return unsafe { self.put_when_busy(image, offset, source, length) };
        }
        self.in_flight.insert_single(image, offset, length);
        // SAFETY: the caller vouches for `length` readable bytes at the source and for the target, a symmetric address; `shmem_putmem` has read
        // the source when it returns.
        unsafe { shmem_putmem(self.parts.at(offset), source.cast(), length, number(image)) };
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        let length = size_of::<u64>();
        if !(self.is_free() && offset.is_multiple_of(length)) {
            // SAFETY: the caller vouches that the word lies in the part of `image`, as this method requires too.
            return unsafe { self.put_word_when_busy(image, offset, word) };
        }
        self.in_flight.insert_single(image, offset, length);
        // SAFETY: the caller vouches for the place, which is aligned, as parts begin at a page.
        unsafe { uint64::p(self.parts.at(offset).cast(), word, number(image)) };
    }

    #[inline]
    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        self.complete_conflicts(Access::new(image, Direction::Get, offset, length));
        // SAFETY: the caller vouches for both ranges.
        unsafe { shmem_getmem(target.cast(), self.parts.at(offset), length, number(image)) };
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        // SAFETY: the caller vouches for the range in the part of `image`, and the buffer for its own bytes until completion.
        unsafe { self.issue(image, offset, source, Direction::Put) }
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        // SAFETY: the caller vouches for the range in the part of `image`, and the buffer for its own bytes until completion.
        unsafe { self.issue(image, offset, target, Direction::Get) }
    }

    unsafe fn put_strided(&self, _: usize, _: usize, _: *const u8, _: &Strided<'_>) -> bool {
        false
    }

    /// By single puts, which all are noted as one.
    unsafe fn put_listed(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        runs: &[Run],
    ) -> bool {
        let (first, span) = reach_of(runs, length);
        let start = offset.wrapping_add_signed(first);
        self.enter(Access::new(image, Direction::Put, start, span));
        for run in runs {
            let offset = offset.wrapping_add_signed(run.to);
            let (to, from) = (self.parts.at(offset), source.wrapping_offset(run.from));
            // SAFETY: the caller vouches for `length` readable bytes at the source and for the target, a symmetric address; both calls have read
            // the source when they return.
            unsafe {
                if length == size_of::<u64>() && offset.is_multiple_of(length) {
                    uint64::p(
                        to.cast(),
                        from.cast::<u64>().read_unaligned(),
                        number(image),
                    );
                } else {
                    shmem_putmem(to, from.cast(), length, number(image));
                }
            }
        }
        self.note(true);
        true
    }

    unsafe fn get_strided(&self, _: usize, _: usize, _: *mut u8, _: &Strided<'_>) -> bool {
        false
    }

    /// The library does not tell which operations are complete: this completes those issued first, and waits for it.
    fn progress(&self) -> bool {
        if let Some(oldest) = self.contexts.oldest() {
            self.complete_contexts(|context| context.since() == oldest);
        }
        self.contexts.have_any()
    }

    fn wait(&self, request: &Request) {
        if !request.is_complete() {
            self.complete_contexts(|context| context.has_any_of(request.image()));
        }
    }

    fn fence(&self, image: usize) {
        if self.contexts.have_any() {
            self.complete_contexts(|context| context.has_any_of(image));
        }
        if self.in_flight.are_words_of(image) || self.fenced.are_words_of(image) {
            // It completes atomic operations, which only a fence of the library would not.
            self.complete_default();
        } else if self.in_flight.is_in_flight_to(image) {
            // SAFETY: the library is started.
            unsafe { shmem_fence() };
            if !self.in_flight.move_to(&self.fenced) {
                self.complete_default();
            }
        }
    }

    fn quiet(&self) {
        if self.contexts.have_any() {
            self.complete_contexts(|_| true);
        }
        if !self.are_puts() {
            return self.note(false);
        }
        // SAFETY: the library is initialised.
        unsafe { shmem_quiet() };
        // It stays noted, until there is nothing to complete: programs that complete one put after the other do not pay for it.
        self.forget_puts();
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        self.complete_conflicts(Access::new(image, Direction::Put, offset, word.bytes()));
        // SAFETY: the caller vouches for the word; parts begin at a page.
        unsafe { atomics::carry_out(self.parts.at(offset), number(image), word, operation) }
    }

    /// By the calls of OpenSHMEM 1.4. Put-with-signal of 1.5 orders its own bytes and signal only, so it would need the same fences: the one before
    /// it, for earlier puts, and another one before later puts. And no atomic operation may change a word that it changes, so a signal alone
    /// would have to be one without bytes.
    unsafe fn put_signal(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        signal: usize,
        operation: SignalOperation,
    ) {
        if length > 0 {
            // SAFETY: the caller vouches for source and target.
            unsafe { self.put(image, offset, source, length) };
        }
        self.fence(image);
        self.signals.note(image);
        let word = self.parts.at(signal).cast();
        // SAFETY: the caller vouches for the word, which is symmetric and aligned, as parts begin at a page. The library is started.
        unsafe {
            match operation {
                SignalOperation::Add(amount) => ulonglong::atomic_add(word, amount, number(image)),
                SignalOperation::Set(value) => {
                    // Earlier and later signals must not overtake it; among sums that would change nothing.
                    shmem_fence();
                    ulonglong::atomic_set(word, value, number(image));
                    shmem_fence();
                }
            }
        }
    }

    /// By a put of words, for each of which one could wait by `shmem_wait_until`: it is never seen in part.
    unsafe fn set_signals(&self, images: &[(usize, &[u64])], offset: usize) {
        // Orders the stores of this image to its part before the words, from which gets of them follow.
        fence(Ordering::Release);
        let place = self.parts.at(offset).cast();
        for &(image, words) in images {
            self.signals.note(image);
            // SAFETY: the caller vouches for the words, which are symmetric and aligned, as parts begin at a page. The call has read the source when
            // it returns.
            unsafe { uint64::put(place, words.as_ptr(), words.len(), number(image)) };
        }
    }

    fn quiet_signals(&self) {
        // SAFETY: the library is initialised, and `shmem_quiet` completes all operations of the default context, wherever they go.
        unsafe {
            shmem_quiet();
            self.signals.complete(|_| ());
        }
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        self.channel.send(image, message);
    }

    unsafe fn receive(&self) -> Option<Message> {
        self.channel.receive()
    }

    fn has_collectives(&self) -> bool {
        false
    }

    unsafe fn move_blocks(
        &self,
        _: &[u32],
        movement: Movement,
        _: *const u8,
        _: *mut u8,
        _: usize,
    ) {
        unreachable!("{movement:?}: this fabric has no collectives")
    }

    /// Sums without a result are in flight in the default context: of several on one word the order does not matter. All else is done at once.
    unsafe fn issue_atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request> {
        if let AtomicOperation::Add(value) = operation
            && !fetches
        {
            let access = Access::new(image, Direction::Atomic, offset, word.bytes());
            self.complete_conflicts(access);
            self.in_flight.insert_atomic(access);
            // SAFETY: the caller vouches for the word; parts begin at a page.
            unsafe { atomics::add(self.parts.at(offset), number(image), word, value) };
            self.note(true);
            return None;
        }
        // SAFETY: the caller vouches for the word.
        let former = unsafe { self.atomic(image, offset, word, operation) };
        fetches.then(|| Request::complete(image, former))
    }
}
