//! What is issued and completes later, in several contexts.
//!
//! The library tells of the end of all operations in a context, and only to who waits for it. What is under way to one image is
//! all in one context, so that who waits for an operation also has those before it on the same image; what is under
//! way to different images is in different contexts, as long as there are some: who waits for a short get does not wait for the
//! long put to another image.
//!
//! The first is the default context, which a program with one operation under way never goes beyond: Open MPI, while it
//! waits for another, gives a hundredth of its time to what others do to this image's memory.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::ptr;
use std::task::Waker;

use shmem_sys::{
    SHMEM_CTX_SERIALIZED, shmem_ctx_create, shmem_ctx_default, shmem_ctx_destroy,
    shmem_ctx_getmem_nbi, shmem_ctx_putmem_nbi, shmem_ctx_quiet, shmem_ctx_t,
};

use crate::transport::completion::{Completer, completion};
use crate::transport::request::{Buffer, Request};
use crate::transport::shmem::symmetric::{Block, number};
use crate::transport::shmem::under_way::{Direction, UnderWay};

/// How many operations may be issued in a context and not complete. Those of programs that issue on and on, and wait for
/// nothing, would fill the memory otherwise.
const ISSUED_AT_MOST: usize = 1024;

/// A context, and what is issued there.
#[derive(Debug)]
pub(super) struct Stream {
    context: shmem_ctx_t,
    under_way: UnderWay,
    issued: RefCell<Vec<Issued>>,
    since: Cell<u64>,
}

/// What belongs to an operation until it is complete.
#[derive(Debug)]
struct Issued {
    buffer: Buffer,
    completer: Completer<Buffer>,
}

impl Stream {
    fn new(context: shmem_ctx_t, images: usize) -> Self {
        Self {
            context,
            under_way: UnderWay::new(images),
            issued: RefCell::default(),
            since: Cell::new(0),
        }
    }

    /// Whether nothing is under way.
    fn is_free(&self) -> bool {
        self.issued.borrow().is_empty()
    }

    fn is_full(&self, image: usize) -> bool {
        self.under_way.is_full(image) || self.issued.borrow().len() >= ISSUED_AT_MOST
    }

    /// How many operations this image had issued before the first of these.
    pub(super) fn since(&self) -> u64 {
        self.since.get()
    }

    /// Whether it has operations on `image`.
    pub(super) fn has_any_of(&self, image: usize) -> bool {
        self.under_way.any_of(image)
    }

    /// Whether an operation on these bytes must wait for it.
    pub(super) fn hinders(&self, image: usize, direction: Direction, range: &Range<usize>) -> bool {
        self.under_way.hinders(image, direction, range)
    }

    /// Waits for all operations.
    fn complete(&self, wakers: &mut Vec<Waker>) {
        // SAFETY: the library is started, and the context exists.
        unsafe { shmem_ctx_quiet(self.context) };
        self.under_way.clear();
        let mut issued = self.issued.borrow_mut();
        let complete = |one: Issued| one.completer.complete(one.buffer);
        wakers.extend(issued.drain(..).filter_map(complete));
    }
}

/// The streams of an image.
#[derive(Debug)]
pub(super) struct Streams {
    streams: RefCell<Vec<Stream>>,
    images: usize,
    /// How many there can be: fewer than wished for if the library has no more contexts.
    at_most: Cell<usize>,
    /// How many operations were issued.
    issued: Cell<u64>,
    has_any: Cell<bool>,
}

impl Streams {
    /// Streams to so many images.
    pub(super) fn new(images: usize, at_most: usize) -> Self {
        let first = Stream::new(shmem_ctx_default(), images);
        Self {
            streams: RefCell::new(vec![first]),
            images,
            at_most: Cell::new(at_most),
            issued: Cell::new(0),
            has_any: Cell::new(false),
        }
    }

    /// Whether operations are issued and not complete.
    #[inline(always)]
    pub(super) fn have_any(&self) -> bool {
        self.has_any.get()
    }

    /// Whether one more operation on `image` would be one too many.
    pub(super) fn are_full(&self, image: usize) -> bool {
        let streams = self.streams.borrow();
        let of_image = streams.iter().find(|stream| stream.has_any_of(image));
        match of_image {
            Some(stream) => stream.is_full(image),
            None => streams.iter().any(|stream| stream.is_full(image)),
        }
    }

    /// Begins to copy between `buffer` and the bytes `range` of the block of `image`, apart from what is under way in the default
    /// context if `are_puts` says that there are puts.
    ///
    /// # Safety
    /// Until the operation is complete, both are valid for it.
    pub(super) unsafe fn issue(
        &self,
        block: Block,
        image: usize,
        range: Range<usize>,
        mut buffer: Buffer,
        direction: Direction,
        are_puts: bool,
    ) -> Request {
        let mut streams = self.streams.borrow_mut();
        let stream = self.choose(&mut streams, image, are_puts);
        let (place, memory) = (block.at(range.start), buffer.start().cast());
        let (context, length, to) = (stream.context, range.len(), number(image));
        // SAFETY: the caller vouches for both ranges until the operation is complete; until then, the buffer stays here.
        unsafe {
            match direction {
                Direction::Put => shmem_ctx_putmem_nbi(context, place, memory, length, to),
                Direction::Get => shmem_ctx_getmem_nbi(context, memory, place, length, to),
            }
        }
        if stream.is_free() {
            stream.since.set(self.issued.get());
        }
        stream.under_way.add(image, direction, range);
        let (completer, completion) = completion();
        stream
            .issued
            .borrow_mut()
            .push(Issued { buffer, completer });
        self.issued.set(self.issued.get() + 1);
        self.has_any.set(true);
        Request::new(image, completion)
    }

    /// The stream for the next operation on `image`: that of those before it; or a free one; or the last.
    fn choose<'a>(&self, streams: &'a mut Vec<Stream>, image: usize, are_puts: bool) -> &'a Stream {
        let of_image = streams.iter().position(|stream| stream.has_any_of(image));
        let apart = usize::from(are_puts);
        let free = || (apart..streams.len()).find(|&position| streams[position].is_free());
        let found = of_image.or_else(free);
        if found.is_none() && streams.len() < self.at_most.get() {
            match create() {
                Some(context) => streams.push(Stream::new(context, self.images)),
                None => self.at_most.set(streams.len()),
            }
        }
        &streams[found.unwrap_or(streams.len() - 1)]
    }

    /// Which operations were issued first: how many were issued before them.
    pub(super) fn oldest(&self) -> Option<u64> {
        let streams = self.streams.borrow();
        let busy = streams.iter().filter(|stream| !stream.is_free());
        busy.map(|stream| stream.since.get()).min()
    }

    /// Waits for all operations of those streams that `which` says. Returns who is to be told.
    #[must_use = "somebody may wait to be woken"]
    pub(super) fn complete(&self, which: impl Fn(&Stream) -> bool) -> Vec<Waker> {
        let mut wakers = Vec::new();
        let streams = self.streams.borrow();
        let busy = streams.iter().filter(|stream| !stream.is_free());
        busy.filter(|stream| which(stream))
            .for_each(|stream| stream.complete(&mut wakers));
        self.has_any.set(!streams.iter().all(Stream::is_free));
        wakers
    }

    /// Gives the contexts back, which have nothing under way.
    pub(super) fn end(&self) {
        for stream in self.streams.borrow_mut().drain(1..) {
            // SAFETY: made below, and used no more.
            unsafe { shmem_ctx_destroy(stream.context) };
        }
    }
}

/// A context, if the library has one more. Not `SHMEM_CTX_PRIVATE`: while Open MPI waits for anything else it leaves such a context
/// alone, so that images that wait for each other, over a network that needs their help, would never come to an end.
fn create() -> Option<shmem_ctx_t> {
    let mut context = ptr::null_mut();
    // SAFETY: the library is started.
    let result = unsafe { shmem_ctx_create(SHMEM_CTX_SERIALIZED, &mut context) };
    (result == 0).then_some(context)
}
