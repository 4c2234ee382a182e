//! Nonblocking operations, in several contexts of OpenSHMEM.
//!
//! OpenSHMEM completes all operations of a context together, by a blocking `quiet`. All operations on one image are in one context, so that
//! waiting for an operation also completes the earlier ones on the same image. Operations on different images are in different contexts, as
//! long as there are enough: so waiting for a short get does not wait for a long put to another image.
//!
//! The first context is the default one, and the only one for programs with one operation in flight. While Open MPI waits for another
//! context, it gives a hundredth of its time to the progress of operations on this image's memory.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::task::Waker;

use shmem_sys::{
    SHMEM_CTX_SERIALIZED, shmem_ctx_create, shmem_ctx_default, shmem_ctx_destroy,
    shmem_ctx_getmem_nbi, shmem_ctx_putmem_nbi, shmem_ctx_quiet, shmem_ctx_t,
};

use crate::transport::access::{Access, Direction};
use crate::transport::completion::Completer;
use crate::transport::in_flight::InFlight;
use crate::transport::request::{Buffer, Request};
use crate::transport::shmem::symmetric::{Block, number};

/// The most operations in flight in a context. Without a limit a program that never waits would fill the memory.
const ISSUED_AT_MOST: usize = 1024;

/// A context, and its operations in flight.
#[derive(Debug)]
pub(super) struct Context {
    handle: shmem_ctx_t,
    in_flight: InFlight,
    issued: RefCell<Vec<Issued>>,
    /// How many operations the image had issued in all contexts before the first of these.
    since: Cell<u64>,
}

/// A nonblocking operation in flight.
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

    fn is_full(&self) -> bool {
        self.in_flight.is_full() || self.issued.borrow().len() >= ISSUED_AT_MOST
    }

    /// How many operations the image had issued in all contexts before the first one in flight here.
    pub(super) fn since(&self) -> u64 {
        self.since.get()
    }

    /// Whether it has operations on `image`.
    pub(super) fn has_any_of(&self, image: usize) -> bool {
        self.in_flight.is_in_flight_to(image)
    }

    /// Whether an operation must wait for one of this context.
    pub(super) fn conflicts(&self, access: Access) -> bool {
        self.in_flight.conflicts(access)
    }

    /// Completes all operations, and collects their wakers.
    fn complete(&self, wakers: &mut Vec<Waker>) {
        // SAFETY: the library is initialised, and the context was not destroyed.
        unsafe { shmem_ctx_quiet(self.handle) };
        self.in_flight.clear();
        let mut issued = self.issued.borrow_mut();
        let complete = |one: Issued| one.completer.complete(one.buffer);
        wakers.extend(issued.drain(..).filter_map(complete));
    }
}

/// The contexts of an image.
#[derive(Debug)]
pub(super) struct Contexts {
    contexts: RefCell<Vec<Context>>,
    images: usize,
    /// The most contexts: fewer than asked for if the library has no more.
    at_most: Cell<usize>,
    /// Operations issued so far.
    issued: Cell<u64>,
    has_any: Cell<bool>,
}

impl Contexts {
    /// At most `at_most` contexts for operations on `images` images.
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

    /// Whether operations are in flight.
    #[inline(always)]
    pub(super) fn have_any(&self) -> bool {
        self.has_any.get()
    }

    /// Whether another operation on `image` would exceed a limit.
    pub(super) fn are_full(&self, image: usize) -> bool {
        let contexts = self.contexts.borrow();
        let of_image = contexts.iter().find(|context| context.has_any_of(image));
        match of_image {
            Some(context) => context.is_full(),
            None => contexts.iter().any(Context::is_full),
        }
    }

    /// Starts a copy between `buffer` and the bytes that it accesses in a block; not in the default context if it has puts in flight
    /// (`are_puts`).
    ///
    /// # Safety
    /// The buffer is as long as the access. Until the operation is complete, a lent buffer stays valid, and the bytes lie in a block of the
    /// image that may be accessed so.
    pub(super) unsafe fn issue(
        &self,
        block: Block,
        access: Access,
        mut buffer: Buffer,
        are_puts: bool,
    ) -> Request {
        let image = access.image();
        let mut contexts = self.contexts.borrow_mut();
        let context = self.choose(&mut contexts, image, are_puts);
        let (place, memory) = (block.at(access.start()), buffer.start().cast());
        let (handle, length, to) = (context.handle, buffer.length(), number(image));
        // SAFETY: `place` is a symmetric address in the block, and `to` a PE; the caller vouches for the bytes there, as many as the
        // buffer has, and for a lent buffer until completion. An owned buffer is kept in `issued` until then.
        unsafe {
            match access.direction() {
                Direction::Put => shmem_ctx_putmem_nbi(handle, place, memory, length, to),
                Direction::Get => shmem_ctx_getmem_nbi(handle, memory, place, length, to),
                Direction::Atomic => unreachable!("those are in the default context"),
            }
        }
        if context.is_free() {
            context.since.set(self.issued.get());
        }
        context.in_flight.insert(access);
        let (completer, request) = Request::issue(image);
        context
            .issued
            .borrow_mut()
            .push(Issued { buffer, completer });
        self.issued.set(self.issued.get() + 1);
        self.has_any.set(true);
        request
    }

    /// The context for the next operation on `image`: that of the operations on it in flight; or a free one; or a new one; or the last.
    fn choose<'a>(
        &self,
        contexts: &'a mut Vec<Context>,
        image: usize,
        are_puts: bool,
    ) -> &'a Context {
        let of_image = contexts
            .iter()
            .position(|context| context.has_any_of(image));
        let first = usize::from(are_puts);
        let free = || (first..contexts.len()).find(|&position| contexts[position].is_free());
        let found = of_image.or_else(free);
        if found.is_none() && contexts.len() < self.at_most.get() {
            match create() {
                Some(context) => contexts.push(Context::new(context, self.images)),
                None => self.at_most.set(contexts.len()),
            }
        }
        &contexts[found.unwrap_or(contexts.len() - 1)]
    }

    /// The smallest [`Context::since`] of contexts with operations in flight.
    pub(super) fn oldest(&self) -> Option<u64> {
        let contexts = self.contexts.borrow();
        let busy = contexts.iter().filter(|context| !context.is_free());
        busy.map(|context| context.since.get()).min()
    }

    /// Completes the contexts for which `which` holds. Returns the wakers of their operations.
    #[must_use = "a task may wait to be woken"]
    pub(super) fn complete(&self, which: impl Fn(&Context) -> bool) -> Vec<Waker> {
        let mut wakers = Vec::new();
        let contexts = self.contexts.borrow();
        let busy = contexts.iter().filter(|context| !context.is_free());
        busy.filter(|context| which(context))
            .for_each(|context| context.complete(&mut wakers));
        self.has_any.set(!contexts.iter().all(Context::is_free));
        wakers
    }

    /// Destroys the contexts, which have nothing in flight.
    pub(super) fn end(&self) {
        for context in self.contexts.borrow_mut().drain(1..) {
            // SAFETY: `create` made it, and it is removed from the list, so it is not used again.
            unsafe { shmem_ctx_destroy(context.handle) };
        }
    }
}

/// A new context, if the library has one more. Not `SHMEM_CTX_PRIVATE`: Open MPI makes no progress with such a context while it waits for
/// anything else, so images that wait for each other over a network without offload would hang.
fn create() -> Option<shmem_ctx_t> {
    let mut context = ptr::null_mut();
    // SAFETY: the library is initialised, and the place is valid for writes.
    let result = unsafe { shmem_ctx_create(SHMEM_CTX_SERIALIZED, &mut context) };
    (result == 0).then_some(context)
}
