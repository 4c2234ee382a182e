//! The fabric of images that map each other's heaps.
//!
//! What is issued waits in a queue for its image until somebody asks for it, as it would on the way through
//! a network: operations on one image complete in order, and those on different images in any. Programs
//! that run well here thus wait for what they need on every fabric.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::task::Waker;

use crate::completion::{Completer, completion};
use crate::direct;
use crate::fabric::Fabric;
use crate::image::Image;
use crate::job::Job;
use crate::request::{Buffer, Request};

/// How many operations may wait. Those of programs that issue on and on, and wait for nothing, would fill the
/// memory otherwise.
const QUEUED_AT_MOST: usize = 4096;

thread_local! {
    /// How many operations the image of this thread has in its queues.
    static QUEUED: Cell<usize> = const { Cell::new(0) };
}

/// Whether the image of this thread has issued operations that may not be complete.
#[inline]
#[must_use]
pub fn has_issued() -> bool {
    QUEUED.get() > 0
}

/// Completes what the image of this thread has issued and not waited for. Whatever tells other images that
/// this one has come to some point does this first; it costs next to nothing if there is nothing to complete.
#[inline]
pub fn complete() {
    if has_issued() {
        complete_all();
    }
}

#[cold]
#[inline(never)]
fn complete_all() {
    Image::current().fabric().quiet();
}

/// The way of one image to the heaps of all.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    job: Arc<Job>,
    /// What was issued, for each image that there is anything for.
    queues: RefCell<BTreeMap<usize, VecDeque<Operation>>>,
    /// The image that progress was made with last.
    last: Cell<usize>,
}

#[derive(Debug)]
struct Operation {
    direction: Direction,
    offset: usize,
    buffer: Buffer,
    completer: Completer<Buffer>,
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Put,
    Get,
}

impl SharedMemory {
    pub(crate) fn new(job: Arc<Job>) -> Self {
        Self {
            job,
            queues: RefCell::default(),
            last: Cell::new(0),
        }
    }

    /// # Safety
    /// `length` bytes after `offset` lie in the heap of `image`.
    unsafe fn place(&self, image: usize, offset: usize, length: usize) -> *mut u8 {
        let region = &self.job.region;
        debug_assert!(offset + length <= region.heap_bytes());
        // SAFETY: the caller vouches for it; the heap is mapped as long as the job exists.
        unsafe { region.heap(image).add(offset) }
    }

    fn issue(&self, image: usize, offset: usize, buffer: Buffer, direction: Direction) -> Request {
        if QUEUED.get() >= QUEUED_AT_MOST {
            self.progress();
        }
        let (completer, completion) = completion();
        let operation = Operation {
            direction,
            offset,
            buffer,
            completer,
        };
        let mut queues = self.queues.borrow_mut();
        queues.entry(image).or_default().push_back(operation);
        QUEUED.set(QUEUED.get() + 1);
        Request::new(image, completion)
    }

    /// Carries out the oldest operation on `image`, if there is one. Returns who waits for it.
    fn step(&self, image: usize) -> Option<Option<Waker>> {
        let mut operation = self.pop(image)?;
        let (start, length) = (operation.buffer.start(), operation.buffer.length());
        // SAFETY: who issued the operation vouches for the place and for lent memory until now; other memory
        // belongs to the operation.
        unsafe {
            let place = self.place(image, operation.offset, length);
            match operation.direction {
                Direction::Put => direct::copy_in_one_piece(place, start, length),
                Direction::Get => direct::copy_in_one_piece(start, place, length),
            }
        }
        Some(operation.completer.complete(operation.buffer))
    }

    fn pop(&self, image: usize) -> Option<Operation> {
        let mut queues = self.queues.borrow_mut();
        let queue = queues.get_mut(&image)?;
        let operation = queue.pop_front();
        if queue.is_empty() {
            queues.remove(&image);
        }
        QUEUED.set(QUEUED.get() - usize::from(operation.is_some()));
        operation
    }

    /// Carries out operations on `image` until there are no more, or `enough` is true.
    ///
    /// Wakers are not the library's code, and may panic: they come last.
    fn carry_out(&self, image: usize, enough: impl Fn() -> bool) {
        let mut wakers = Vec::new();
        while !enough()
            && let Some(waker) = self.step(image)
        {
            wakers.extend(waker);
        }
        wakers.into_iter().for_each(Waker::wake);
    }

    /// The image after `last` that something is queued for, in a circle.
    fn next_image(&self) -> Option<usize> {
        let queues = self.queues.borrow();
        let after = (Bound::Excluded(self.last.get()), Bound::Unbounded);
        let (&image, _) = queues
            .range(after)
            .next()
            .or_else(|| queues.iter().next())?;
        Some(image)
    }
}

impl Fabric for SharedMemory {
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.carry_out(image, || false);
        // SAFETY: the caller vouches for both ranges.
        unsafe { direct::copy_in_one_piece(self.place(image, offset, length), source, length) }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        self.carry_out(image, || false);
        // SAFETY: the caller vouches for both ranges.
        unsafe { direct::copy_in_one_piece(target, self.place(image, offset, length), length) }
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        self.issue(image, offset, source, Direction::Put)
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        self.issue(image, offset, target, Direction::Get)
    }

    fn progress(&self) -> bool {
        if let Some(image) = self.next_image() {
            self.last.set(image);
            if let Some(Some(waker)) = self.step(image) {
                waker.wake();
            }
        }
        QUEUED.get() > 0
    }

    fn wait(&self, request: &Request) {
        self.carry_out(request.image(), || request.is_complete());
    }

    fn fence(&self, image: usize) {
        self.carry_out(image, || false);
        fence(Ordering::Release);
    }

    fn quiet(&self) {
        let mut wakers = Vec::new();
        while let Some(image) = self.next_image() {
            while let Some(waker) = self.step(image) {
                wakers.extend(waker);
            }
        }
        fence(Ordering::SeqCst);
        wakers.into_iter().for_each(Waker::wake);
    }
}
