//! The channel for active messages: nonblocking sends and matched probes of MPI.
//!
//! A message is sent from a copy, which is kept until MPI has sent it. A sender over its limit receives meanwhile, so two images that send to each
//! other cannot deadlock.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::mem::{self, MaybeUninit};

use mpi_rma::mpi::ffi::{self, MPI_Comm, MPI_Message, MPI_Request, MPI_Status};

use super::check::{check, expect};
use crate::transport::fabric::Message;

/// The most messages of this image in flight.
const IN_FLIGHT_AT_MOST: usize = 256;

/// The most bytes in flight, not counting the last message.
const BYTES_AT_MOST: usize = 16 << 20;

/// The most buffers that are kept for reuse, and their largest capacity.
const SPARE_AT_MOST: usize = 16;
const SPARE_BYTES: usize = 4096;

const TAG: c_int = 0;

/// The channel of one image.
#[derive(Debug)]
pub(crate) struct Channel {
    communicator: MPI_Comm,
    /// Messages in flight, oldest first.
    leaving: RefCell<VecDeque<Transport>>,
    bytes_leaving: Cell<usize>,
    /// A message that is being received. Later ones wait for it, so that they stay in order.
    arriving: RefCell<Option<(usize, Transport)>>,
    /// Messages received while this image was sending.
    arrived: RefCell<VecDeque<Message>>,
    spare: RefCell<Vec<Vec<u8>>>,
    /// Messages sent to each image, and messages received from all.
    sent: Box<[Cell<u64>]>,
    received: Cell<u64>,
}

/// A message that MPI is sending or receiving.
#[derive(Debug)]
struct Transport {
    request: MPI_Request,
    bytes: Vec<u8>,
}

impl Transport {
    fn is_complete(&mut self) -> bool {
        let mut is_complete = 0;
        // SAFETY: the request is one of MPI that was not freed, or the null request, which `MPI_Test` takes for complete.
        let code = unsafe {
            ffi::MPI_Test(
                &raw mut self.request,
                &raw mut is_complete,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        expect(check("MPI_Test", code));
        is_complete != 0
    }
}

impl Channel {
    /// The channel on a communicator, which outlives it and carries no other messages with this tag.
    pub(crate) fn new(communicator: MPI_Comm, images: usize) -> Self {
        Self {
            communicator,
            leaving: RefCell::default(),
            bytes_leaving: Cell::new(0),
            arriving: RefCell::default(),
            arrived: RefCell::default(),
            spare: RefCell::default(),
            sent: vec![Cell::new(0); images].into(),
            received: Cell::new(0),
        }
    }

    pub(crate) fn send(&self, image: usize, message: &[u8]) {
        self.make_room();
        let mut bytes = self.spare.borrow_mut().pop().unwrap_or_default();
        bytes.extend_from_slice(message);
        let length = expect(c_int::try_from(bytes.len()));
        // SAFETY: reads a constant of the MPI library.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the communicator is valid, as `new` was promised; the `length` bytes do not move or change until the request is complete.
        let code = unsafe {
            ffi::MPI_Isend(
                bytes.as_ptr().cast(),
                length,
                ffi::RSMPI_UINT8_T,
                image as c_int,
                TAG,
                self.communicator,
                &raw mut request,
            )
        };
        expect(check("MPI_Isend", code));
        self.sent[image].set(self.sent[image].get() + 1);
        let mut transport = Transport { request, bytes };
        if transport.is_complete() {
            self.keep(transport.bytes);
        } else {
            let bytes = self.bytes_leaving.get() + transport.bytes.len();
            self.bytes_leaving.set(bytes);
            self.leaving.borrow_mut().push_back(transport);
        }
    }

    /// Waits until fewer than the limits are in flight, and receives meanwhile.
    fn make_room(&self) {
        while self.leaving.borrow().len() >= IN_FLIGHT_AT_MOST
            || self.bytes_leaving.get() >= BYTES_AT_MOST
        {
            self.retire_sent();
            if let Some(message) = self.receive_next() {
                self.arrived.borrow_mut().push_back(message);
            }
        }
    }

    /// Frees the copies of the oldest messages, as far as they have been sent.
    fn retire_sent(&self) {
        let mut leaving = self.leaving.borrow_mut();
        while let Some(oldest) = leaving.front_mut()
            && oldest.is_complete()
            && let Some(Transport { bytes, .. }) = leaving.pop_front()
        {
            self.bytes_leaving
                .set(self.bytes_leaving.get() - bytes.len());
            self.keep(bytes);
        }
    }

    fn keep(&self, mut bytes: Vec<u8>) {
        let mut spare = self.spare.borrow_mut();
        if spare.len() < SPARE_AT_MOST && bytes.capacity() <= SPARE_BYTES {
            bytes.clear();
            spare.push(bytes);
        }
    }

    pub(crate) fn receive(&self) -> Option<Message> {
        if !self.leaving.borrow().is_empty() {
            self.retire_sent();
        }
        let waiting = self.arrived.borrow_mut().pop_front();
        waiting.or_else(|| self.receive_next())
    }

    /// The next message, if all of it has arrived.
    fn receive_next(&self) -> Option<Message> {
        let mut arriving = self.arriving.borrow_mut();
        if arriving.is_none() {
            *arriving = self.begin_to_receive();
        }
        let (_, transport) = arriving.as_mut()?;
        if !transport.is_complete() {
            return None;
        }
        let (from, Transport { bytes, .. }) = arriving.take()?;
        self.received.set(self.received.get() + 1);
        Some(Message { from, bytes })
    }

    fn begin_to_receive(&self) -> Option<(usize, Transport)> {
        let mut is_there = 0;
        // SAFETY: reads a constant of the MPI library.
        let mut message: MPI_Message = unsafe { ffi::RSMPI_MESSAGE_NULL };
        let mut status = MaybeUninit::<MPI_Status>::uninit();
        // SAFETY: the communicator is valid, as `new` was promised; the three places are valid for writes.
        let code = unsafe {
            ffi::MPI_Improbe(
                ffi::RSMPI_ANY_SOURCE,
                TAG,
                self.communicator,
                &raw mut is_there,
                &raw mut message,
                status.as_mut_ptr(),
            )
        };
        expect(check("MPI_Improbe", code));
        if is_there == 0 {
            return None;
        }
        // SAFETY: `MPI_Improbe` has found a message, and then writes the status.
        let status = unsafe { status.assume_init() };
        let mut length = 0;
        // SAFETY: the status is of a probed message, which consists of bytes.
        let code =
            unsafe { ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut length) };
        expect(check("MPI_Get_count", code));
        let mut bytes = vec![0; length as usize];
        // SAFETY: reads a constant of the MPI library.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the buffer has `length` bytes, and does not move until the request is complete; the message handle is the probed one.
        let code = unsafe {
            ffi::MPI_Imrecv(
                bytes.as_mut_ptr().cast(),
                length,
                ffi::RSMPI_UINT8_T,
                &raw mut message,
                &raw mut request,
            )
        };
        expect(check("MPI_Imrecv", code));
        let transport = Transport { request, bytes };
        Some((status.MPI_SOURCE as usize, transport))
    }

    /// Collective. Receives and drops messages until none is in flight between the images.
    pub(crate) fn close(&self) {
        let sent: Vec<u64> = self.sent.iter().map(Cell::get).collect();
        let mut expected = 0_u64;
        // SAFETY: the communicator is valid; `sent` has one number for each of its processes, and `expected` has room for the one result.
        let code = unsafe {
            ffi::MPI_Reduce_scatter_block(
                sent.as_ptr().cast(),
                (&raw mut expected).cast(),
                1,
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_SUM,
                self.communicator,
            )
        };
        expect(check("MPI_Reduce_scatter_block", code));
        while self.received.get() < expected || !self.leaving.borrow().is_empty() {
            drop(self.receive_next());
            self.retire_sent();
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // If the image ends before these are complete, MPI may still access their bytes: leak them.
        mem::take(self.leaving.get_mut())
            .into_iter()
            .for_each(mem::forget);
        mem::forget(self.arriving.take());
    }
}
