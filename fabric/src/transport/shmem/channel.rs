//! Messages between images, through symmetric memory.
//!
//! ```text
//! | arrived | written by image 0, 1, ... | read by image 0, 1, ... | ring of image 0 | ring of image 1 | ... |
//! ```
//!
//! Each image has a ring for every other, which the other fills with the bytes of its messages, one after the other, and
//! tells by a count how many it has written since the start. Another count tells it how many of them have been read, so
//! that it overwrites nothing. A message longer than the ring comes in pieces.
//!
//! Where nothing has arrived, a look at `arrived` says so: there everybody adds the number of bytes that it has
//! written.
//!
//! The look is `shmem_test`, again and again. Who waits for something here also serves what others ask for, looks at words
//! that images of its node write, and at the clock, to tell of deadlocks: `shmem_wait_until` would come back for its own
//! word only, and not before that has changed. It would not come back sooner: Open MPI, whose looks include progress, passes
//! a word to and fro as fast by either, to 6 % over shared memory and 1 % over TCP.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_ulonglong;
use std::sync::atomic::{AtomicU64, Ordering};

use shmem_sys::{SHMEM_CMP_NE, make_progress, shmem_fence, shmem_putmem, ulonglong};

use crate::transport::fabric::Message;
use crate::transport::shmem::symmetric::{Block, number};

/// Bytes of a ring.
const RING: usize = 8192;

/// Bytes before each message, which say how long it is.
const HEADER: usize = size_of::<u64>();

/// Bytes from `arrived` to the counts, so that who looks at it shares no cache line with them.
const APART: usize = 64;

/// The mailbox of one image.
#[derive(Debug)]
pub(super) struct Channel {
    block: Block,
    me: usize,
    images: usize,
    /// How much of all that has arrived was read.
    read: Cell<u64>,
    /// What this image has written to each other, and what of the writing of each other it has read.
    peers: Box<[Peer]>,
    /// Messages that have arrived while this image waited for something else.
    queue: RefCell<VecDeque<Message>>,
    /// A message with its header, while it is sent.
    outgoing: RefCell<Vec<u8>>,
}

#[derive(Debug, Default)]
struct Peer {
    written: Cell<u64>,
    read: Cell<u64>,
    /// What the other knows of `read`.
    told: Cell<u64>,
    /// The start of what has been read, which is not yet a message.
    incoming: RefCell<Vec<u8>>,
}

impl Channel {
    /// Collective. None if there is no room for it. Usable after a barrier.
    pub(super) fn new(me: usize, images: usize) -> Option<Self> {
        let rings = rings(images);
        let block = Block::allocate(APART, rings + images * RING, rings)?;
        Some(Self {
            block,
            me,
            images,
            read: Cell::new(0),
            peers: (0..images).map(|_| Peer::default()).collect(),
            queue: RefCell::default(),
            outgoing: RefCell::default(),
        })
    }

    /// The memory, to be freed when nobody sends any more.
    pub(super) fn block(&self) -> Block {
        self.block
    }

    /// Sends a message.
    pub(super) fn send(&self, image: usize, message: &[u8]) {
        if image == self.me {
            let from = self.me;
            let bytes = message.into();
            self.queue.borrow_mut().push_back(Message { from, bytes });
            return;
        }
        let mut outgoing = self.outgoing.take();
        outgoing.clear();
        outgoing.extend_from_slice(&(message.len() as u64).to_ne_bytes());
        outgoing.extend_from_slice(message);
        let mut rest = &outgoing[..];
        while !rest.is_empty() {
            // The other tells at the latest when half of the ring is read, so there is room for as much some day.
            let room = self.wait_for_room(image, rest.len().min(RING / 2));
            let (piece, later) = rest.split_at(room.min(rest.len()));
            self.write(image, piece);
            rest = later;
        }
        self.outgoing.replace(outgoing);
    }

    /// How many bytes the ring has room for, when that is `needed` at least.
    fn wait_for_room(&self, image: usize, needed: usize) -> usize {
        loop {
            let read = self.count(self.read_by(image)).load(Ordering::Acquire);
            let room = RING - (self.peers[image].written.get() - read) as usize;
            if room >= needed {
                return room;
            }
            // The other may wait for room here, too, and the library to be called.
            self.look();
            // The other cannot read anything while this process has its core.
            std::thread::yield_now();
        }
    }

    /// Writes bytes that there is room for to the ring at `image`, and tells so.
    fn write(&self, image: usize, bytes: &[u8]) {
        let written = &self.peers[image].written;
        let start = written.get() as usize % RING;
        let (first, second) = bytes.split_at(bytes.len().min(RING - start));
        let to = number(image);
        let count = bytes.len() as c_ulonglong;
        written.set(written.get() + count);
        let ring = self.ring(self.me);
        // SAFETY: the places lie in the block, and nobody reads these bytes before it is told. The fence lets them be there
        // when the count is; `arrived` may come before, as it only makes the other look.
        unsafe {
            shmem_putmem(
                self.block.at(ring + start),
                first.as_ptr().cast(),
                first.len(),
                to,
            );
            if !second.is_empty() {
                shmem_putmem(
                    self.block.at(ring),
                    second.as_ptr().cast(),
                    second.len(),
                    to,
                );
            }
            shmem_fence();
            ulonglong::atomic_set(self.word(self.written_by(self.me)), written.get(), to);
            ulonglong::atomic_add(self.word(0), count, to);
        }
    }

    /// The next message.
    pub(super) fn receive(&self) -> Option<Message> {
        let first = self.queue.borrow_mut().pop_front();
        if first.is_some() {
            return first;
        }
        self.look();
        self.queue.borrow_mut().pop_front()
    }

    /// Reads what has arrived. The library gets its chance to go on with what others do to this image's memory.
    fn look(&self) {
        // SAFETY: the library is started, and only this thread makes calls.
        unsafe { make_progress() };
        // SAFETY: the word is symmetric. A library that is not made to go on above does so where nothing has changed.
        let has_arrived = unsafe { ulonglong::test(self.word(0), SHMEM_CMP_NE, self.read.get()) };
        if has_arrived != 0 {
            self.read_all();
        }
    }

    fn read_all(&self) {
        for from in 0..self.images {
            let written = self.count(self.written_by(from)).load(Ordering::Acquire);
            if written != self.peers[from].read.get() {
                self.read_from(from, written);
            }
        }
    }

    /// Reads the ring of `from`, up to `written`.
    fn read_from(&self, from: usize, written: u64) {
        let peer = &self.peers[from];
        let start = peer.read.get() as usize % RING;
        let length = (written - peer.read.get()) as usize;
        let mut incoming = peer.incoming.borrow_mut();
        let first = length.min(RING - start);
        for (start, length) in [(start, first), (0, length - first)] {
            let place = self.block.at(self.ring(from) + start).cast::<u8>();
            // SAFETY: the bytes lie in the ring, and `from` leaves them as they are until it is told that they were read.
            incoming.extend_from_slice(unsafe { std::slice::from_raw_parts(place, length) });
        }
        peer.read.set(written);
        self.read.set(self.read.get() + length as u64);
        if written - peer.told.get() >= RING as u64 / 2 {
            peer.told.set(written);
            // SAFETY: the place is a word of the block that nobody else writes there.
            unsafe {
                ulonglong::atomic_set(self.word(self.read_by(self.me)), written, number(from))
            };
        }
        let mut rest = &incoming[..];
        while let Some((bytes, later)) = split_message(rest) {
            let bytes = bytes.into();
            self.queue.borrow_mut().push_back(Message { from, bytes });
            rest = later;
        }
        let taken = incoming.len() - rest.len();
        incoming.drain(..taken);
    }

    /// Where the count of bytes is that `image` has written.
    fn written_by(&self, image: usize) -> usize {
        APART + image * size_of::<u64>()
    }

    /// Where the count of bytes is that `image` has read of what this one wrote.
    fn read_by(&self, image: usize) -> usize {
        APART + (self.images + image) * size_of::<u64>()
    }

    fn ring(&self, from: usize) -> usize {
        rings(self.images) + from * RING
    }

    fn word(&self, offset: usize) -> *mut c_ulonglong {
        self.block.at(offset).cast()
    }

    /// A count in this image's memory.
    fn count(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the word lies in the block, is aligned, and is only changed as a whole, by another process.
        unsafe { &*self.block.at(offset).cast::<AtomicU64>() }
    }
}

/// Where the rings begin.
fn rings(images: usize) -> usize {
    (APART + 2 * images * size_of::<u64>()).next_multiple_of(APART)
}

/// The first message of bytes that have arrived, if it is there to the end, and the bytes after it.
fn split_message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (header, rest) = bytes.split_first_chunk::<HEADER>()?;
    rest.split_at_checked(u64::from_ne_bytes(*header) as usize)
}
