//! The fabric of MPI: puts (`put.rs`), gets and atomic operations on one window.
//!
//! MPI orders nothing, but operations of one image on the same place must take effect in order. So [`InFlight`] keeps the places of
//! operations in flight, and an operation that overlaps one of them flushes its target first. The source of a put must be reusable on
//! return. MPI needs a flush for that, unless the bytes are staged: copied to a buffer that is kept until the next flush.
//!
//! The memory model is the unified one, which `mpi-rma` insists on. There `MPI_Win_sync` only orders loads and stores (MPI 3.1 section 11.7), so
//! the fences of the language take its place, before and after messages and signals.

use std::mem::ManuallyDrop;
use std::sync::atomic::{Ordering, fence};

use mpi_rma::{Operation as Action, Window};

use super::channel::Channel;
use super::check::expect;
use super::collectives::Collectives;
use super::datatypes::{Datatypes, pack, start_listed_put};
use super::operations::Operations;
use super::staging::Staging;
use crate::transport::access::{Access, Direction};
use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::fabric::{Fabric, Message};
use crate::transport::in_flight::InFlight;
use crate::transport::movement::Movement;
use crate::transport::pending::Outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::signal::SignalOperation;
use crate::transport::signalled::Signalled;
use crate::transport::strided::{Run, Strided, reach_of};

/// The one-sided operations of one image.
#[derive(Debug)]
pub(crate) struct OneSided {
    /// Freed by [`close`](Self::close). Inline, not boxed, as every operation reads it.
    pub(super) window: ManuallyDrop<Window<'static>>,
    /// Bytes from the start of each image's window to its part.
    start: usize,
    /// Whether accumulates are seen although nothing is flushed.
    sends_at_once: bool,
    pub(super) in_flight: InFlight,
    pub(super) staging: Staging,
    pub(super) operations: Operations,
    pub(super) datatypes: Datatypes,
    outstanding: Outstanding,
    signals: Signalled,
    channel: Channel,
    collectives: Collectives,
}

impl OneSided {
    pub(crate) fn new(
        window: Window<'static>,
        start: usize,
        sends_at_once: bool,
        channel: Channel,
        collectives: Collectives,
        images: usize,
    ) -> Self {
        Self {
            window: ManuallyDrop::new(window),
            start,
            sends_at_once,
            in_flight: InFlight::new(images),
            staging: Staging::new(),
            operations: Operations::default(),
            datatypes: Datatypes::default(),
            outstanding: Outstanding::default(),
            signals: Signalled::default(),
            channel,
            collectives,
        }
    }

    /// Rank and displacement of a place, for MPI.
    #[inline]
    pub(super) fn place(&self, image: usize, offset: usize) -> (i32, usize) {
        (image as i32, self.start + offset)
    }

    /// Sends the signals to this rank, or to all, that MPI might keep to send them with later operations. It waits for nothing at the target.
    #[inline]
    fn send_signals(&self, only: Option<i32>) {
        if !self.sends_at_once {
            expect(match only {
                Some(rank) => self.window.flush_local(rank),
                None => self.window.flush_local_all(),
            });
        }
    }

    /// Notes that operations are outstanding, before the first one.
    ///
    /// A `quiet` that completes a single put does not take this back, so that programs that complete each put do not pay for it again.
    #[inline]
    pub(super) fn arm(&self) {
        if self.in_flight.is_idle() {
            self.in_flight.arm();
            self.outstanding.begin();
        }
    }

    /// Completes the operations on the image if one in flight must take effect before this one.
    #[inline]
    pub(super) fn flush_if_conflicting(&self, access: Access) {
        if self.in_flight.conflicts(access) {
            self.fence(access.image());
        }
    }

    /// Notes an operation as in flight; flushes everything first if the list is full.
    #[inline]
    pub(super) fn note(&self, access: Access) {
        self.arm();
        if !self.in_flight.insert(access) {
            self.flush_all();
            self.arm();
            self.in_flight.insert(access);
        }
    }

    /// Completes all operations in flight.
    ///
    /// It flushes image by image, because `MPI_Win_flush_all` of MPICH 4.0 returns too early.
    #[inline(never)]
    pub(super) fn flush_all(&self) {
        self.in_flight
            .drain(|image| expect(self.window.flush(image as i32)));
        self.note_all_complete();
    }

    fn note_all_complete(&self) {
        self.staging.reuse();
        if !self.in_flight.is_idle() {
            self.in_flight.disarm();
            // SAFETY: the caller has flushed all targets of operations in flight.
            unsafe { self.outstanding.end() };
        }
        // Last: it runs wakers, and these may start new operations.
        self.operations.finish(None);
    }

    /// Collective. Drains the channel, and frees communicators and the window.
    ///
    /// # Safety
    /// This is the last use of `self`, which may stay referenced: a program can leak objects that keep its image, such as a cofuture.
    pub(crate) unsafe fn close(&self) {
        self.channel.close();
        self.datatypes.clear();
        self.collectives.close();
        // SAFETY: the caller promises that this is the last use of the window, and `ManuallyDrop` keeps it from being dropped again.
        let window = unsafe { (&raw const self.window).read() };
        expect(ManuallyDrop::into_inner(window).free());
    }
}

impl Drop for OneSided {
    fn drop(&mut self) {
        if !self.in_flight.is_empty() {
            self.staging.leave();
        }
    }
}

impl Fabric for OneSided {
    fn outstanding(&self) -> &Outstanding {
        &self.outstanding
    }

    /// The cold path is a tail call, so that the hot path needs no prologue.
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        if !self.in_flight.is_armed() {
            // SAFETY: the caller vouches for source and target.
            return unsafe { self.put_when_busy(image, offset, source, length) };
        }
        // SAFETY: the caller vouches for source and target.
        unsafe { self.put_when_idle(image, offset, source, length) }
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        if !self.in_flight.is_armed() {
            // SAFETY: the caller vouches for the target.
            return unsafe { self.put_word_when_busy(image, offset, word) };
        }
        // SAFETY: the caller vouches for the target.
        unsafe { self.put_word_when_idle(image, offset, word) }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        self.flush_if_conflicting(Access::new(image, Direction::Get, offset, length));
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for both places; the local flush completes a get before this returns.
        unsafe {
            expect(self.window.start_get_unchecked(rank, place, target, length));
            expect(self.window.flush_local_unchecked(rank));
        }
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        // SAFETY: the caller vouches for the place, and for a lent buffer until completion.
        unsafe { self.issue(image, offset, source, true) }
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        // SAFETY: the caller vouches for the place, and for a lent buffer until completion.
        unsafe { self.issue(image, offset, target, false) }
    }

    /// By datatypes.
    unsafe fn put_strided(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        block: &Strided<'_>,
    ) -> bool {
        let access = Access::new(image, Direction::Put, offset, block.span());
        self.flush_if_conflicting(access);
        let place = self.place(image, offset);
        self.note(access);
        // SAFETY: the caller vouches for both sides; the local flush ends MPI's use of the source, which it only reads, before this returns.
        unsafe {
            let is_begun =
                self.datatypes
                    .start(&self.window, place, source.cast_mut(), block, true, None);
            expect(self.window.flush_local_unchecked(place.0));
            is_begun
        }
    }

    /// By a datatype of the places.
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
        let access = Access::new(image, Direction::Put, start, span);
        self.flush_if_conflicting(access);
        let place = self.place(image, offset);
        self.note(access);
        // SAFETY: the caller vouches for both sides; the local flush ends MPI's use of the packed bytes before they are dropped.
        unsafe {
            let packed = pack(source, length, runs);
            let is_begun = start_listed_put(&self.window, place, &packed, length, runs);
            expect(self.window.flush_local_unchecked(place.0));
            is_begun
        }
    }

    /// By datatypes.
    unsafe fn get_strided(
        &self,
        image: usize,
        offset: usize,
        target: *mut u8,
        block: &Strided<'_>,
    ) -> bool {
        self.flush_if_conflicting(Access::new(image, Direction::Get, offset, block.span()));
        let place = self.place(image, offset);
        // SAFETY: the caller vouches for both sides; the local flush completes a get before this returns.
        unsafe {
            let is_begun = self
                .datatypes
                .start(&self.window, place, target, block, false, None);
            expect(self.window.flush_local_unchecked(place.0));
            is_begun
        }
    }

    unsafe fn issue_put_strided(
        &self,
        image: usize,
        offset: usize,
        source: Buffer,
        block: &Strided<'_>,
    ) -> Result<Request, Buffer> {
        // SAFETY: the caller vouches for the places, and for a lent buffer until completion.
        unsafe { self.issue_strided(image, offset, source, block, true) }
    }

    unsafe fn issue_get_strided(
        &self,
        image: usize,
        offset: usize,
        target: Buffer,
        block: &Strided<'_>,
    ) -> Result<Request, Buffer> {
        // SAFETY: the caller vouches for the places, and for a lent buffer until completion.
        unsafe { self.issue_strided(image, offset, target, block, false) }
    }

    fn progress(&self) -> bool {
        self.advance()
    }

    fn wait(&self, request: &Request) {
        while !request.is_complete() {
            self.advance();
        }
    }

    fn fence(&self, image: usize) {
        if !self.in_flight.is_in_flight_to(image) {
            return;
        }
        if self.in_flight.single_target().is_some() {
            // It is the one to `image`.
            return self.quiet();
        }
        expect(self.window.flush(image as i32));
        self.in_flight.retire(image);
        if self.in_flight.is_empty() {
            self.note_all_complete();
        } else {
            self.operations.finish(Some(image));
        }
    }

    fn quiet(&self) {
        let Some(image) = self.in_flight.single_target() else {
            return self.flush_all();
        };
        // Before the flush, so that the call of MPI comes last. Nothing reads it in between.
        self.in_flight.retire_single();
        // SAFETY: the image is one of the window's group: an operation is in flight to it.
        expect(unsafe { self.window.flush_unchecked(image as i32) });
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        self.fetch_and_operate(image, offset, word, operation)
    }

    /// By `MPI_Put`, `MPI_Win_flush` and `MPI_Raccumulate`.
    unsafe fn put_signal(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        signal: usize,
        operation: SignalOperation,
    ) {
        // MPI orders no accumulate after a put, so that one is completed, at this target alone.
        if length == 0 {
            self.fence(image);
        } else {
            // SAFETY: the caller vouches for source and target.
            unsafe { self.put_and_fence(image, offset, source, length) };
        }
        // As before a message.
        fence(Ordering::Release);
        let (rank, word) = self.place(image, signal);
        let (action, operand) = match operation {
            SignalOperation::Set(value) => (Action::Replace, value),
            SignalOperation::Add(amount) => (Action::Sum, amount),
        };
        self.signals.note(image);
        expect(self.window.accumulate(rank, word, action, operand));
        self.send_signals(Some(rank));
    }

    /// By one `MPI_Raccumulate` for each image, which is atomic for each word: MPI 3.1 section 11.7.1.
    unsafe fn set_signals(&self, images: &[(usize, &[u64])], offset: usize) {
        // As before a message.
        fence(Ordering::Release);
        let all = images.iter().map(|&(image, words)| {
            self.signals.note(image);
            let (rank, place) = self.place(image, offset);
            (rank, place, words)
        });
        expect(self.window.accumulate_all(all, Action::Replace));
        match *images {
            [(image, _)] => self.send_signals(Some(image as i32)),
            _ => self.send_signals(None),
        }
    }

    fn quiet_signals(&self) {
        // SAFETY: a flush completes all operations on its target.
        unsafe {
            self.signals
                .complete(|image| expect(self.window.flush(image as i32)));
        }
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        // Orders the stores of this image to its part before the message, from which gets of them follow.
        fence(Ordering::Release);
        self.channel.send(image, message);
    }

    unsafe fn receive(&self) -> Option<Message> {
        let message = self.channel.receive()?;
        // Pairs with the Release of the sender: orders this image's loads of what was put to its part after the message.
        fence(Ordering::Acquire);
        Some(message)
    }

    fn has_collectives(&self) -> bool {
        true
    }

    unsafe fn move_blocks(
        &self,
        images: &[u32],
        movement: Movement,
        source: *const u8,
        target: *mut u8,
        length: usize,
    ) {
        // SAFETY: passed on by the caller.
        unsafe {
            self.collectives
                .move_blocks(images, movement, source, target, length);
        }
    }

    unsafe fn issue_atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request> {
        // SAFETY: the caller vouches for the word until completion.
        unsafe { self.start_atomic(image, offset, word, operation, fetches) }
    }
}
