//! The channel for active messages: nonblocking sends, and receives that are posted in advance.
//!
//! A message is sent from a copy, which is kept until MPI has sent it. A sender over its limit receives meanwhile, so two images that send to each
//! other cannot deadlock.
//!
//! Each image has a ring of posted receives from any image, and looks at the oldest only: MPI matches messages with receives in the order in which
//! these were posted, and messages of one image in the order in which they were sent (MPI 3.1 section 3.5). A message of up to [`EAGER`] bytes
//! arrives in such a receive. A longer one is announced by one that tells its length, and follows with a tag of its own; later ones wait for it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::mem::{self, MaybeUninit};

use mpi_rma::mpi::ffi::{self, MPI_Comm, MPI_Request, MPI_Status};

use super::check::{check, expect};
use crate::transport::fabric::Message;
use crate::transport::spare;

/// The most messages of this image in flight.
const IN_FLIGHT_AT_MOST: usize = 256;

/// The most bytes in flight, not counting the last message.
const BYTES_AT_MOST: usize = 16 << 20;

/// The most buffers that are kept for reuse, and their largest capacity.
const SPARE_AT_MOST: usize = 16;
const SPARE_BYTES: usize = 4096;

/// The most bytes of a message that comes unannounced.
const EAGER: usize = 2048;

/// The last byte of what the posted receives get: a message, or the length of one that follows.
const WHOLE: u8 = 0;
const ANNOUNCED: u8 = 1;

/// Posted receives.
const POSTED: usize = 16;

/// The tag of messages and announcements, and that of announced messages.
const TAG: c_int = 0;
const LONG_TAG: c_int = 1;

/// The channel of one image.
#[derive(Debug)]
pub(crate) struct Channel {
    communicator: MPI_Comm,
    /// Messages in flight, oldest first.
    leaving: RefCell<VecDeque<Transport>>,
    bytes_leaving: Cell<usize>,
    /// A message that is sent: most have left when MPI returns.
    outgoing: RefCell<Vec<u8>>,
    /// The posted receives, and which of them is the oldest. Each has [`EAGER`] bytes and one more.
    posted: RefCell<Box<[Transport]>>,
    oldest: Cell<usize>,
    /// Whether the one before the oldest is to be posted again: at the next look, so that the message is handled first.
    is_spent: Cell<bool>,
    /// An announced message that is being received. Later ones wait for it, so that they stay in order.
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

fn is_complete(request: &mut MPI_Request) -> bool {
    let mut is_complete = 0;
    // SAFETY: the request is one of MPI that was not freed, or the null request, which `MPI_Test` takes for complete.
    let code = unsafe { ffi::MPI_Test(request, &raw mut is_complete, ffi::RSMPI_STATUS_IGNORE) };
    expect(check("MPI_Test", code));
    is_complete != 0
}

impl Channel {
    /// The channel on a communicator, which outlives it and carries no other messages with this tag.
    pub(crate) fn new(communicator: MPI_Comm, images: usize) -> Self {
        let post = |_| receive(communicator, vec![0; EAGER + 1], None);
        Self {
            communicator,
            leaving: RefCell::default(),
            bytes_leaving: Cell::new(0),
            outgoing: RefCell::default(),
            posted: RefCell::new((0..POSTED).map(post).collect()),
            oldest: Cell::new(0),
            is_spent: Cell::new(false),
            arriving: RefCell::default(),
            arrived: RefCell::default(),
            spare: RefCell::default(),
            sent: vec![Cell::new(0); images].into(),
            received: Cell::new(0),
        }
    }

    pub(crate) fn send(&self, image: usize, message: &[u8]) {
        self.make_room();
        if message.len() <= EAGER {
            self.send_parts(image, TAG, message, &[WHOLE]);
        } else {
            self.send_parts(
                image,
                TAG,
                &(message.len() as u64).to_ne_bytes(),
                &[ANNOUNCED],
            );
            self.send_parts(image, LONG_TAG, message, &[]);
        }
        self.sent[image].set(self.sent[image].get() + 1);
    }

    /// Sends a copy of two runs of bytes, one after the other.
    fn send_parts(&self, image: usize, tag: c_int, first: &[u8], last: &[u8]) {
        let mut bytes = self.outgoing.borrow_mut();
        bytes.clear();
        bytes.extend_from_slice(first);
        bytes.extend_from_slice(last);
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
                tag,
                self.communicator,
                &raw mut request,
            )
        };
        expect(check("MPI_Isend", code));
        // The request is not moved before it is tested: to load what was just stored in another size waits until the stores before it are done,
        // and these are to memory that the receiver reads.
        if !is_complete(&mut request) {
            let spare = self.spare.borrow_mut().pop();
            let bytes = mem::replace(&mut *bytes, spare.unwrap_or_default());
            self.keep_leaving(Transport { request, bytes });
        } else if bytes.capacity() > SPARE_BYTES {
            *bytes = Vec::new();
        }
    }

    #[cold]
    fn keep_leaving(&self, message: Transport) {
        self.bytes_leaving
            .set(self.bytes_leaving.get() + message.bytes.len());
        self.leaving.borrow_mut().push_back(message);
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
            && is_complete(&mut oldest.request)
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
            let (from, mut bytes) = self.receive_posted()?;
            if bytes.pop() != Some(ANNOUNCED) {
                self.received.set(self.received.get() + 1);
                return Some(Message { from, bytes });
            }
            let length = u64::from_ne_bytes(expect(bytes[..].try_into())) as usize;
            *arriving = Some((
                from,
                receive(self.communicator, vec![0; length], Some(from)),
            ));
        }
        let (_, transport) = arriving.as_mut()?;
        if !is_complete(&mut transport.request) {
            return None;
        }
        let (from, Transport { bytes, .. }) = arriving.take()?;
        self.received.set(self.received.get() + 1);
        Some(Message { from, bytes })
    }

    /// What the oldest posted receive has got, and from which image.
    fn receive_posted(&self) -> Option<(usize, Vec<u8>)> {
        let oldest = self.oldest.get();
        let mut posted = self.posted.borrow_mut();
        if self.is_spent.take() {
            let spent = &mut posted[(oldest + POSTED - 1) % POSTED];
            let buffer = mem::take(&mut spent.bytes);
            *spent = receive(self.communicator, buffer, None);
        }
        let slot = &mut posted[oldest];
        let mut is_complete = 0;
        let mut status = MaybeUninit::<MPI_Status>::uninit();
        // SAFETY: the request is that of a posted receive, which was not freed: it is replaced as soon as it is complete. The two places are valid
        // for writes.
        let code = unsafe {
            ffi::MPI_Test(
                &raw mut slot.request,
                &raw mut is_complete,
                status.as_mut_ptr(),
            )
        };
        expect(check("MPI_Test", code));
        if is_complete == 0 {
            return None;
        }
        // SAFETY: `MPI_Test` has written the status, as the request was complete.
        let status = unsafe { status.assume_init() };
        let mut length = 0;
        // SAFETY: the status is of a message that consists of bytes.
        let code =
            unsafe { ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut length) };
        expect(check("MPI_Get_count", code));
        let mut bytes = spare::take();
        bytes.extend_from_slice(&slot.bytes[..length as usize]);
        self.is_spent.set(true);
        self.oldest.set((oldest + 1) % POSTED);
        Some((status.MPI_SOURCE as usize, bytes))
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
        // A request that is complete is null, which cannot be cancelled.
        let spent = self
            .is_spent
            .get()
            .then(|| (self.oldest.get() + POSTED - 1) % POSTED);
        let mut posted = self.posted.take();
        let posted = posted.iter_mut().enumerate();
        for (_, slot) in posted.filter(|&(index, _)| Some(index) != spent) {
            // SAFETY: the request is that of a posted receive that nothing has matched, since nothing is in flight. `MPI_Wait` then frees it.
            let codes = unsafe {
                [
                    ffi::MPI_Cancel(&raw mut slot.request),
                    ffi::MPI_Wait(&raw mut slot.request, ffi::RSMPI_STATUS_IGNORE),
                ]
            };
            codes
                .into_iter()
                .for_each(|code| expect(check("MPI_Cancel", code)));
        }
    }
}

/// Posts a receive: of an announced message from an image, or else of anything.
fn receive(communicator: MPI_Comm, mut bytes: Vec<u8>, announced_by: Option<usize>) -> Transport {
    let length = expect(c_int::try_from(bytes.len()));
    let (source, tag) = match announced_by {
        Some(image) => (image as c_int, LONG_TAG),
        // SAFETY: reads a constant of the MPI library.
        None => (unsafe { ffi::RSMPI_ANY_SOURCE }, TAG),
    };
    // SAFETY: reads a constant of the MPI library.
    let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
    // SAFETY: the communicator is valid, as `Channel::new` was promised. The buffer has `length` bytes. They do not move, and nobody accesses them,
    // until the request is complete: the transport is kept until then, or its buffer is leaked.
    let code = unsafe {
        ffi::MPI_Irecv(
            bytes.as_mut_ptr().cast(),
            length,
            ffi::RSMPI_UINT8_T,
            source,
            tag,
            communicator,
            &raw mut request,
        )
    };
    expect(check("MPI_Irecv", code));
    Transport { request, bytes }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // If the image ends before these are complete, MPI may still access their bytes: leak them.
        mem::take(self.leaving.get_mut())
            .into_iter()
            .for_each(mem::forget);
        mem::forget(self.arriving.take());
        mem::forget(self.posted.take());
    }
}
