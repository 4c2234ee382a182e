//! What is issued and completes later, in several contexts.
//!
//! The library tells of the end of all operations in a context, and only to who waits for it. What is in flight to one image is
//! all in one context, so that who waits for an operation also has those before it on the same image; what is under
//! way to different images is in different contexts, as long as there are some: who waits for a short get does not wait for the
//! long put to another image.
//!
//! The first is the default context, which a program with one operation in flight never goes beyond: Open MPI, while it
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
use crate::transport::shmem::in_flight::{Direction, InFlight};
use crate::transport::shmem::symmetric::{Block, number};

/// How many operations may be issued in a context and not complete. Those of programs that issue on and on, and wait for
/// nothing, would fill the memory otherwise.
const ISSUED_AT_MOST: usize = 1024;

/// A context, and what is issued there.
#[derive(Debug)]
pub(super) struct Context {
    handle: shmem_ctx_t,
    in_flight: InFlight,
    issued: RefCell<Vec<Issued>>,
    since: Cell<u64>,
}

/// What belongs to an operation until it is complete.
#[derive(Debug)]
struct Issued {
    buffer: Buffer,
    completer: Completer<Buffer>,
}

impl Context {
    fn new(handle: shmem_ctx_t, images: usize) -> Self {
        Self {
            handle,
            in_flight: InFlight::new(images),
            issued: RefCell::default(),
            since: Cell::new(0),
        }
    }

    /// Whether nothing is in flight.
    fn is_free(&self) -> bool {
        self.issued.borrow().is_empty()
    }

    fn is_full(&self, image: usize) -> bool {
        self.in_flight.is_full(image) || self.issued.borrow().len() >= ISSUED_AT_MOST
    }

    /// How many operations this image had issued before the first of these.
    pub(super) fn since(&self) -> u64 {
        self.since.get()
    }

    /// Whether it has operations on `image`.
    pub(super) fn has_any_of(&self, image: usize) -> bool {
        self.in_flight.any_of(image)
    }

    /// Whether an operation on these bytes must wait for it.
    pub(super) fn conflicts(
        &self,
        image: usize,
        direction: Direction,
        range: &Range<usize>,
    ) -> bool {
        self.in_flight.conflicts(image, direction, range)
    }

    /// Waits for all operations.
    fn complete(&self, wakers: &mut Vec<Waker>) {
        // SAFETY: the library is started, and the context exists.
        unsafe { shmem_ctx_quiet(self.handle) };
        self.in_flight.clear();
        let mut issued = self.issued.borrow_mut();
        let complete = |one: Issued| one.completer.complete(one.buffer);
        wakers.extend(issued.drain(..).filter_map(complete));
    }
}

/// The streams of an image.
#[derive(Debug)]
pub(super) struct Contexts {
    contexts: RefCell<Vec<Context>>,
    images: usize,
    /// How many there can be: fewer than wished for if the library has no more contexts.
    at_most: Cell<usize>,
    /// How many operations were issued.
    issued: Cell<u64>,
    has_any: Cell<bool>,
}

impl Contexts {
    /// Contexts to so many images.
    pub(super) fn new(images: usize, at_most: usize) -> Self {
        let first = Context::new(shmem_ctx_default(), images);
        Self {
            contexts: RefCell::new(vec![first]),
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
        let contexts = self.contexts.borrow();
        let of_image = contexts.iter().find(|context| context.has_any_of(image));
        match of_image {
            Some(context) => context.is_full(image),
            None => contexts.iter().any(|context| context.is_full(image)),
        }
    }

    /// Begins to copy between `buffer` and the bytes `range` of the block of `image`, apart from what is in flight in the default
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
        let mut contexts = self.contexts.borrow_mut();
        let context = self.choose(&mut contexts, image, are_puts);
        let (place, memory) = (block.at(range.start), buffer.start().cast());
        let (handle, length, to) = (context.handle, range.len(), number(image));
        // SAFETY: the caller vouches for both ranges until the operation is complete; until then, the buffer stays here.
        unsafe {
            match direction {
                Direction::Put => shmem_ctx_putmem_nbi(handle, place, memory, length, to),
                Direction::Get => shmem_ctx_getmem_nbi(handle, memory, place, length, to),
            }
        }
        if context.is_free() {
            context.since.set(self.issued.get());
        }
        context.in_flight.add(image, direction, range);
        let (completer, completion) = completion();
        context
            .issued
            .borrow_mut()
            .push(Issued { buffer, completer });
        self.issued.set(self.issued.get() + 1);
        self.has_any.set(true);
        Request::new(image, completion)
    }

    /// The stream for the next operation on `image`: that of those before it; or a free one; or the last.
    fn choose<'a>(
        &self,
        contexts: &'a mut Vec<Context>,
        image: usize,
        are_puts: bool,
    ) -> &'a Context {
        let of_image = contexts
            .iter()
            .position(|context| context.has_any_of(image));
        let apart = usize::from(are_puts);
        let free = || (apart..contexts.len()).find(|&position| contexts[position].is_free());
        let found = of_image.or_else(free);
        if found.is_none() && contexts.len() < self.at_most.get() {
            match create() {
                Some(context) => contexts.push(Context::new(context, self.images)),
                None => self.at_most.set(contexts.len()),
            }
        }
        &contexts[found.unwrap_or(contexts.len() - 1)]
    }

    /// Which operations were issued first: how many were issued before them.
    pub(super) fn oldest(&self) -> Option<u64> {
        let contexts = self.contexts.borrow();
        let busy = contexts.iter().filter(|context| !context.is_free());
        busy.map(|context| context.since.get()).min()
    }

    /// Waits for all operations of those streams that `which` says. Returns who is to be told.
    #[must_use = "somebody may wait to be woken"]
    pub(super) fn complete(&self, which: impl Fn(&Context) -> bool) -> Vec<Waker> {
        let mut wakers = Vec::new();
        let contexts = self.contexts.borrow();
        let busy = contexts.iter().filter(|context| !context.is_free());
        busy.filter(|context| which(context))
            .for_each(|context| context.complete(&mut wakers));
        self.has_any.set(!contexts.iter().all(Context::is_free));
        wakers
    }

    /// Gives the contexts back, which have nothing in flight.
    pub(super) fn end(&self) {
        for context in self.contexts.borrow_mut().drain(1..) {
            // SAFETY: made below, and used no more.
            unsafe { shmem_ctx_destroy(context.handle) };
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
