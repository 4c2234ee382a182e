//! Messages between images.
//!
//! A message is sent from a copy, which is kept until MPI has sent it. Where too much is on its way, who sends takes in
//! what has arrived meanwhile: two images that overwhelm each other thus both go on.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::mem::{self, MaybeUninit};

use mpi_rma::mpi::ffi::{self, MPI_Comm, MPI_Message, MPI_Request, MPI_Status};

use super::check::{check, expect};
use crate::transport::fabric::Message;

/// How many messages may be on their way from this image.
const ON_THE_WAY_AT_MOST: usize = 256;

/// How many bytes, beyond one message.
const BYTES_AT_MOST: usize = 16 << 20;

/// How many buffers are kept for reuse, and how long these may be.
const SPARE_AT_MOST: usize = 16;
const SPARE_BYTES: usize = 4096;

const TAG: c_int = 0;

/// The messages of one image.
#[derive(Debug)]
pub(crate) struct Channel {
    communicator: MPI_Comm,
    /// What is being sent, oldest first.
    leaving: RefCell<VecDeque<Transport>>,
    bytes_leaving: Cell<usize>,
    /// A message that has come in part. Others wait behind it, to keep their order.
    arriving: RefCell<Option<(usize, Transport)>>,
    /// What came while this image was sending.
    arrived: RefCell<VecDeque<Message>>,
    spare: RefCell<Vec<Vec<u8>>>,
    /// How many messages went to each image, and how many came from all.
    sent: Box<[Cell<u64>]>,
    taken_in: Cell<u64>,
}

/// Bytes that MPI is sending or receiving.
#[derive(Debug)]
struct Transport {
    request: MPI_Request,
    bytes: Vec<u8>,
}

impl Transport {
    fn is_complete(&mut self) -> bool {
        let mut is_complete = 0;
        // SAFETY: the request is MPI's, and not complete.
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
    /// For an image of a communicator, which outlives this, and on which nobody else sends.
    pub(crate) fn new(communicator: MPI_Comm, images: usize) -> Self {
        Self {
            communicator,
            leaving: RefCell::default(),
            bytes_leaving: Cell::new(0),
            arriving: RefCell::default(),
            arrived: RefCell::default(),
            spare: RefCell::default(),
            sent: vec![Cell::new(0); images].into(),
            taken_in: Cell::new(0),
        }
    }

    pub(crate) fn send(&self, image: usize, message: &[u8]) {
        self.make_room();
        let mut bytes = self.spare.borrow_mut().pop().unwrap_or_default();
        bytes.extend_from_slice(message);
        let length = expect(c_int::try_from(bytes.len()));
        // SAFETY: any handle will do, for it is overwritten.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the communicator lives; the bytes stay where they are until the request is complete.
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

    /// Waits until not too much is on its way, and takes in what comes.
    fn make_room(&self) {
        while self.leaving.borrow().len() >= ON_THE_WAY_AT_MOST
            || self.bytes_leaving.get() >= BYTES_AT_MOST
        {
            self.let_go();
            if let Some(message) = self.take_in() {
                self.arrived.borrow_mut().push_back(message);
            }
        }
    }

    /// Gives up the copies of the oldest messages that have been sent.
    fn let_go(&self) {
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
            self.let_go();
        }
        let waiting = self.arrived.borrow_mut().pop_front();
        waiting.or_else(|| self.take_in())
    }

    /// The next message that comes in.
    fn take_in(&self) -> Option<Message> {
        let mut arriving = self.arriving.borrow_mut();
        if arriving.is_none() {
            *arriving = self.begin_to_take_in();
        }
        let (_, transport) = arriving.as_mut()?;
        if !transport.is_complete() {
            return None;
        }
        let (from, Transport { bytes, .. }) = arriving.take()?;
        self.taken_in.set(self.taken_in.get() + 1);
        Some(Message { from, bytes })
    }

    fn begin_to_take_in(&self) -> Option<(usize, Transport)> {
        let mut is_there = 0;
        // SAFETY: any handle will do, for it is overwritten.
        let mut message: MPI_Message = unsafe { ffi::RSMPI_MESSAGE_NULL };
        let mut status = MaybeUninit::<MPI_Status>::uninit();
        // SAFETY: the communicator lives; the function writes to places that outlive the call.
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
        // SAFETY: MPI has written the status of the message that it has found.
        let status = unsafe { status.assume_init() };
        let mut length = 0;
        // SAFETY: the status is of a message of bytes.
        let code =
            unsafe { ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut length) };
        expect(check("MPI_Get_count", code));
        let mut bytes = vec![0; length as usize];
        // SAFETY: any handle will do, for it is overwritten.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: there is room for the whole message, which stays where it is until the request is complete.
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

    /// Collective. Takes in what others have sent, which nobody wants any more, until nothing is on its way.
    pub(crate) fn close(&self) {
        let sent: Vec<u64> = self.sent.iter().map(Cell::get).collect();
        let mut expected = 0_u64;
        // SAFETY: the communicator lives; each image has a number for each, and gets the sum of those for it.
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
        while self.taken_in.get() < expected || !self.leaving.borrow().is_empty() {
            drop(self.take_in());
            self.let_go();
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // Where an image ends in the middle of it MPI may still use these, which are left to it.
        mem::take(self.leaving.get_mut())
            .into_iter()
            .for_each(mem::forget);
        mem::forget(self.arriving.take());
    }
}
