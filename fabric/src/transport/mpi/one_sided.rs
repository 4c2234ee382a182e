//! The fabric: puts, gets and atomic operations of MPI on one window.

use std::mem::ManuallyDrop;

use mpi_rma::{Operation as Action, Window};

use super::channel::Channel;
use super::check::{expect, give_up};
use super::in_flight::InFlight;
use super::operations::{Loan, Operation, Operations};
use super::staging::{FEW_AT_LEAST, FEW_AT_MOST, SMALL, Staging};
use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::completion::completion;
use crate::transport::fabric::{Fabric, Message};
use crate::transport::pending::note_outstanding;
use crate::transport::request::{Buffer, Request};

/// How many operations may wait. Those of programs that issue on and on, and wait for nothing, would fill the
/// memory otherwise.
const ISSUED_AT_MOST: usize = 1024;

/// The length of most puts.
const WORD: usize = size_of::<u64>();

/// The largest operation that MPI carries out by one request.
const REQUEST_AT_MOST: usize = i32::MAX as usize;

/// The way of one image to the parts of all.
#[derive(Debug)]
pub(crate) struct OneSided {
    /// Freed by [`close`](Self::close). Not behind a pointer: each operation begins with it.
    window: ManuallyDrop<Window<'static>>,
    /// Where in the window of each image its part begins.
    start: usize,
    in_flight: InFlight,
    staging: Staging,
    operations: Operations,
    channel: Channel,
}

impl OneSided {
    pub(crate) fn new(
        window: Window<'static>,
        start: usize,
        channel: Channel,
        images: usize,
    ) -> Self {
        Self {
            window: ManuallyDrop::new(window),
            start,
            in_flight: InFlight::new(images),
            staging: Staging::new(),
            operations: Operations::default(),
            channel,
        }
    }

    /// Where in the window of `image` that place is.
    #[inline]
    fn place(&self, image: usize, offset: usize) -> (i32, usize) {
        (image as i32, self.start + offset)
    }

    /// Has the image ask for what is in flight, now that something will be.
    ///
    /// It goes on asking when a single operation is complete: programs that put one after the other do not pay for this.
    #[inline]
    fn get_ready(&self) {
        if self.in_flight.is_idle() {
            self.in_flight.get_ready();
            note_outstanding(true);
        }
    }

    /// Waits for what is in flight on these bytes.
    #[inline]
    fn wait_for_place(&self, image: usize, offset: usize, length: usize) {
        if self.in_flight.overlaps(image, offset, length) {
            self.fence(image);
        }
    }

    /// Notes that an operation begins on these bytes.
    #[inline]
    fn note(&self, image: usize, offset: usize, length: usize) {
        self.get_ready();
        if !self.in_flight.note(image, offset, length) {
            self.complete_several();
            self.get_ready();
            self.in_flight.note(image, offset, length);
        }
    }

    /// Begins a put of what has been staged and noted.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    unsafe fn put_staged(&self, image: usize, offset: usize, copy: *const u8, length: usize) {
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for the place; what is staged stays until it has been flushed.
        let begun = unsafe { self.window.start_put_unchecked(rank, place, copy, length) };
        if let Err(error) = begun {
            give_up(error);
        }
    }

    /// Begins a put of one word where nothing is in flight: a few stores, the call of MPI, and nothing after it.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    unsafe fn put_only_word(&self, image: usize, offset: usize, word: u64) {
        self.in_flight.note_only(image, offset, WORD);
        // SAFETY: nothing is in flight, so that nobody uses the first place.
        let copy = unsafe { self.staging.keep_only(word) };
        // SAFETY: passed on.
        unsafe { self.put_staged(image, offset, copy, WORD) }
    }

    /// As [`put_only_word`](Self::put_only_word), of as many bytes as [`Staging::copy_few`] copies.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    unsafe fn put_few(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.in_flight.note_only(image, offset, length);
        // SAFETY: the caller vouches for the source. Nothing is in flight, so that nobody uses the first place.
        let copy = unsafe { self.staging.copy_few(source, length) };
        // SAFETY: passed on.
        unsafe { self.put_staged(image, offset, copy, length) }
    }

    /// Begins a put of at most [`SMALL`] bytes where nothing is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_run(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.in_flight.note_only(image, offset, length);
        // SAFETY: the caller vouches for the source. Nothing is in flight, so that nobody uses the first place.
        let copy = unsafe { self.staging.copy_only(source, length) };
        // SAFETY: passed on.
        unsafe { self.put_staged(image, offset, copy, length) }
    }

    /// Begins a put that is not small where nothing is in flight, and waits until its source may be used again.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_large(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.in_flight.note_only(image, offset, length);
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for the source and for the place; the source is flushed.
        unsafe {
            expect(self.window.start_put_unchecked(rank, place, source, length));
            expect(self.window.flush_local_unchecked(rank));
        }
    }

    /// Begins a put of any length, whatever is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_another(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        let is_small = length <= SMALL;
        self.wait_for_place(image, offset, length);
        if is_small && !self.staging.has_room() {
            self.complete_several();
        }
        if self.in_flight.is_empty() {
            self.get_ready();
            // SAFETY: passed on.
            return unsafe { self.put_only(image, offset, source, length) };
        }
        self.note(image, offset, length);
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for the source and for the place; what is staged stays until it has been flushed, and
        // other sources are flushed here.
        unsafe {
            if is_small {
                let copy = self.staging.copy(source, length);
                expect(self.window.start_put_unchecked(rank, place, copy, length));
            } else {
                expect(self.window.start_put_unchecked(rank, place, source, length));
                expect(self.window.flush_local_unchecked(rank));
            }
        }
    }

    /// Begins a put of any length where nothing is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    unsafe fn put_only(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        // SAFETY: passed on.
        unsafe {
            match length {
                FEW_AT_LEAST..=FEW_AT_MOST => self.put_few(image, offset, source, length),
                ..=SMALL => self.put_run(image, offset, source, length),
                _ => self.put_large(image, offset, source, length),
            }
        }
    }

    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_another_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: passed on.
        unsafe { self.put_another(image, offset, (&raw const word).cast(), WORD) }
    }

    /// Completes what is in flight, if there is anything.
    ///
    /// Image by image: `MPI_Win_flush_all` of MPICH 4.0 returns too early.
    #[inline(never)]
    fn complete_several(&self) {
        self.in_flight
            .drain(|image| expect(self.window.flush(image as i32)));
        self.have_completed_all();
    }

    fn have_completed_all(&self) {
        self.staging.reuse();
        if !self.in_flight.is_idle() {
            self.in_flight.rest();
            note_outstanding(false);
        }
        // Last, as it wakes others, who may issue more.
        self.operations.finish(None);
    }

    /// Collective. Takes in what others have sent, and frees the window.
    ///
    /// # Safety
    /// Nobody uses this any more, though somebody may have it: a program can leak what keeps its image, such as a cofuture.
    pub(crate) unsafe fn close(&self) {
        self.channel.close();
        // SAFETY: the caller vouches for this being the last use of the window, which is not dropped with the rest.
        let window = unsafe { (&raw const self.window).read() };
        expect(ManuallyDrop::into_inner(window).free());
    }

    /// Begins an operation with memory of its own, or lent, that completes by a request.
    fn issue(&self, image: usize, offset: usize, buffer: Buffer, is_put: bool) -> Request {
        let buffer = Loan::from(buffer);
        let (start, length) = (buffer.start(), buffer.length());
        self.wait_for_place(image, offset, length);
        while self.operations.count() >= ISSUED_AT_MOST {
            self.operations.advance();
        }
        let (completer, completion) = completion();
        let (rank, place) = self.place(image, offset);
        if length > REQUEST_AT_MOST {
            // SAFETY: as below; and the flush completes it.
            let begun = unsafe {
                if is_put {
                    self.window
                        .start_put(rank, place, start.cast_const(), length)
                } else {
                    self.window.start_get(rank, place, start, length)
                }
            };
            expect(begun.and_then(|()| self.window.flush(rank)));
            // The first waiter comes later: there is nobody to wake.
            let _ = completer.complete(buffer.into());
            return Request::new(image, completion);
        }
        self.note(image, offset, length);
        // SAFETY: who issued the operation vouches for the place, and for lent memory; other memory is kept with the
        // operation, where it stays until the request is complete.
        let request = expect(unsafe {
            if is_put {
                self.window
                    .request_put_from(rank, place, start.cast_const(), length)
            } else {
                self.window.request_get_into(rank, place, start, length)
            }
        });
        self.operations.push(Operation {
            request: request.into_raw(),
            image,
            buffer,
            completer,
        });
        Request::new(image, completion)
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
    /// What is rare is called last, so that the rest needs no registers to be saved.
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        if !self.in_flight.is_ready() {
            // SAFETY: passed on.
            return unsafe { self.put_another(image, offset, source, length) };
        }
        // SAFETY: passed on.
        unsafe { self.put_only(image, offset, source, length) }
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        if !self.in_flight.is_ready() {
            // SAFETY: passed on.
            return unsafe { self.put_another_word(image, offset, word) };
        }
        // SAFETY: passed on.
        unsafe { self.put_only_word(image, offset, word) }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        self.wait_for_place(image, offset, length);
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for the target and for the place; the flush completes the operation.
        unsafe {
            expect(self.window.start_get_unchecked(rank, place, target, length));
            expect(self.window.flush_local_unchecked(rank));
        }
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        self.issue(image, offset, source, true)
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        self.issue(image, offset, target, false)
    }

    fn progress(&self) -> bool {
        self.operations.advance()
    }

    fn wait(&self, request: &Request) {
        while !request.is_complete() {
            self.operations.advance();
        }
    }

    fn fence(&self, image: usize) {
        if !self.in_flight.concerns(image) {
            return;
        }
        expect(self.window.flush(image as i32));
        self.in_flight.forget(image);
        if self.in_flight.is_empty() {
            self.have_completed_all();
        } else {
            self.operations.finish(Some(image));
        }
    }

    fn quiet(&self) {
        let Some(image) = self.in_flight.only_target() else {
            return self.complete_several();
        };
        // Nobody looks before the flush is over, and nothing has to be kept for later.
        self.in_flight.forget_only();
        // SAFETY: an operation is in flight to that image.
        expect(unsafe { self.window.flush_unchecked(image as i32) });
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        self.wait_for_place(image, offset, word.bytes());
        let (rank, place) = self.place(image, offset);
        let (action, operand) = match operation {
            AtomicOperation::Load => (Action::Load, 0),
            AtomicOperation::Swap(value) => (Action::Replace, value),
            AtomicOperation::Add(value) => (Action::Sum, value),
            AtomicOperation::And(bits) => (Action::And, bits),
            AtomicOperation::Or(bits) => (Action::Or, bits),
            AtomicOperation::Xor(bits) => (Action::Xor, bits),
            AtomicOperation::CompareExchange { current, new } => {
                let window = &self.window;
                return expect(match word {
                    Word::Bits32 => window
                        .compare_and_swap(rank, place, current as u32, new as u32)
                        .map(u64::from),
                    Word::Bits64 => window.compare_and_swap(rank, place, current, new),
                });
            }
        };
        expect(match word {
            Word::Bits32 => self
                .window
                .fetch_and_op(rank, place, action, operand as u32)
                .map(u64::from),
            Word::Bits64 => self.window.fetch_and_op(rank, place, action, operand),
        })
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        // What this image has written in its part is there for who reads it because of the message.
        expect(self.window.sync());
        self.channel.send(image, message);
    }

    unsafe fn receive(&self) -> Option<Message> {
        let message = self.channel.receive()?;
        // What its sender has put into this image's part is there for its loads.
        expect(self.window.sync());
        Some(message)
    }
}
