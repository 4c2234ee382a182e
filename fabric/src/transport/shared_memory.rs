//! The fabric of images that map each other's memory.
//!
//! A nonblocking operation waits in a queue for its target until it is waited for, as it might on a network. Operations on one image complete in
//! order, those on different images in any order. So a program that forgets to wait fails here as well as on a cluster.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::task::Waker;

use crate::memory::direct;
use crate::memory::region::RegionOwner;
use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::completion::Completer;
use crate::transport::deferral::wake;
use crate::transport::fabric::{Fabric, Message};
use crate::transport::movement::Movement;
use crate::transport::pending::Outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::signal::{Signal, SignalOperation};
use crate::transport::strided::Strided;

/// The most operations in the queues. Without a limit a program that never waits would fill the memory.
const QUEUED_AT_MOST: usize = 4096;

/// The one-sided operations of one image.
#[derive(Debug)]
pub struct SharedMemory {
    /// The region of the only node, or those of all nodes in this process.
    nodes: Vec<Arc<dyn RegionOwner>>,
    /// Where the parts of all images are, if there is one region.
    parts: Option<Parts>,
    /// What was issued, for each image that there is anything for.
    queues: RefCell<BTreeMap<usize, VecDeque<Issued>>>,
    /// How many operations are in the queues.
    queued: Cell<usize>,
    outstanding: Outstanding,
    /// The image that progress was made with last.
    last: Cell<usize>,
}

/// The parts of images in a region.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// The address of the first one.
    start: usize,
    stride: usize,
    images: usize,
}

#[derive(Debug)]
struct Issued {
    offset: usize,
    operation: Operation,
}

#[derive(Debug)]
enum Operation {
    Put(Buffer, Completer<Buffer>),
    Get(Buffer, Completer<Buffer>),
    Atomic(Word, AtomicOperation, Option<Completer<Buffer>>),
}

impl SharedMemory {
    /// The way to the images of a job that all share memory.
    #[must_use]
    pub fn new(region: Arc<dyn RegionOwner>) -> Self {
        Self::to_all(vec![region])
    }

    /// The way to the parts of all nodes of this process, which have a region each.
    pub(crate) fn to_all(nodes: Vec<Arc<dyn RegionOwner>>) -> Self {
        let parts = match &nodes[..] {
            [only] => {
                let (region, dimensions) = (only.region(), only.region().dimensions());
                Some(Parts {
                    start: region.part_address(0, 0).expose_provenance(),
                    stride: dimensions.stride,
                    images: dimensions.images,
                })
            }
            _ => None,
        };
        Self {
            nodes,
            parts,
            queues: RefCell::default(),
            queued: Cell::new(0),
            outstanding: Outstanding::default(),
            last: Cell::new(0),
        }
    }

    /// The address of `length` bytes at `offset` in the part of `image`.
    #[inline(always)]
    pub(crate) fn place(&self, image: usize, offset: usize, length: usize) -> *mut u8 {
        match self.parts {
            Some(parts) => {
                debug_assert!(offset + length <= parts.stride);
                assert!(image < parts.images && offset < parts.stride);
                // The region is mapped as long as its owner lives, which `nodes` has.
                ptr::with_exposed_provenance_mut(parts.start + image * parts.stride + offset)
            }
            None => self.place_in_node(image, offset),
        }
    }

    #[cold]
    #[inline(never)]
    fn place_in_node(&self, image: usize, offset: usize) -> *mut u8 {
        let owner = &self.nodes[self.nodes[0].nodes().position(image)];
        owner.region().part_address(image, offset)
    }

    /// Copies in one piece, after what was issued for `image`.
    ///
    /// # Safety
    /// As [`direct::copy_in_one_piece`].
    #[inline(always)]
    unsafe fn copy(&self, image: usize, to: *mut u8, from: *const u8, length: usize) {
        match self.queued.get() {
            // SAFETY: the caller vouches for both places.
            0 => unsafe { direct::copy_in_one_piece(to, from, length) },
            // SAFETY: as above.
            _ => unsafe { self.copy_after_queued(image, to, from, length) },
        }
    }

    /// # Safety
    /// As [`direct::copy_in_one_piece`].
    #[cold]
    #[inline(never)]
    unsafe fn copy_after_queued(&self, image: usize, to: *mut u8, from: *const u8, length: usize) {
        let wakers = self.execute(image, || false);
        // SAFETY: the caller vouches for both places.
        unsafe { direct::copy_in_one_piece(to, from, length) }
        wake(wakers);
    }

    fn note_queued(&self, queued: usize) {
        self.queued.set(queued);
        match queued {
            // SAFETY: operations are complete unless they are queued.
            0 => unsafe { self.outstanding.end() },
            _ => self.outstanding.begin(),
        }
    }

    fn issue(&self, image: usize, offset: usize, operation: Operation) {
        if self.queued.get() >= QUEUED_AT_MOST {
            self.progress();
        }
        let mut queues = self.queues.borrow_mut();
        let queue = queues.entry(image).or_default();
        queue.push_back(Issued { offset, operation });
        self.note_queued(self.queued.get() + 1);
    }

    /// Executes the oldest operation on `image`, if there is one. Returns its waker, if it has one.
    fn step(&self, image: usize) -> Option<Option<Waker>> {
        let Issued { offset, operation } = self.pop(image)?;
        // SAFETY: who issued the operation vouches for the target and a lent buffer until completion, which is here; an owned buffer has as
        // many bytes as it says. A word is aligned, and used by atomic operations only. `place` checks that the range is in the part.
        unsafe {
            match operation {
                Operation::Put(mut buffer, completer) => {
                    let (start, length) = (buffer.start(), buffer.length());
                    direct::copy_in_one_piece(self.place(image, offset, length), start, length);
                    Some(completer.complete(buffer))
                }
                Operation::Get(mut buffer, completer) => {
                    let (start, length) = (buffer.start(), buffer.length());
                    direct::copy_in_one_piece(start, self.place(image, offset, length), length);
                    Some(completer.complete(buffer))
                }
                Operation::Atomic(word, operation, completer) => {
                    let former = operation.apply(self.place(image, offset, word.bytes()), word);
                    let complete =
                        |completer: Completer<_>| completer.complete(Buffer::of_word(former));
                    Some(completer.and_then(complete))
                }
            }
        }
    }

    fn pop(&self, image: usize) -> Option<Issued> {
        let mut queues = self.queues.borrow_mut();
        let queue = queues.get_mut(&image)?;
        let operation = queue.pop_front();
        if queue.is_empty() {
            queues.remove(&image);
        }
        self.note_queued(self.queued.get() - usize::from(operation.is_some()));
        operation
    }

    /// Executes operations on `image` until there are no more, or `enough` is true. Returns their wakers.
    #[inline]
    #[must_use = "a task may wait to be woken"]
    fn execute(&self, image: usize, enough: impl Fn() -> bool) -> Vec<Waker> {
        match self.queued.get() {
            0 => Vec::new(),
            _ => self.execute_queued(image, enough),
        }
    }

    #[cold]
    fn execute_queued(&self, image: usize, enough: impl Fn() -> bool) -> Vec<Waker> {
        let mut wakers = Vec::new();
        while !enough()
            && let Some(waker) = self.step(image)
        {
            wakers.extend(waker);
        }
        wakers
    }

    /// The next image after `last` with queued operations, round robin.
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
    fn outstanding(&self) -> &Outstanding {
        &self.outstanding
    }

    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        let place = self.place(image, offset, length);
        // SAFETY: the caller vouches for `length` bytes at the source and at the target; both may race with other images, as `direct` allows.
        unsafe { self.copy(image, place, source, length) }
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: `word` is readable until `put` returns, which has copied it; the caller vouches for the place.
        unsafe { self.put(image, offset, (&raw const word).cast(), size_of::<u64>()) }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        let place = self.place(image, offset, length);
        // SAFETY: the caller vouches for `length` bytes at both places; the source may race with other images, as `direct` allows.
        unsafe { self.copy(image, target, place, length) }
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        let (completer, request) = Request::issue(image);
        self.issue(image, offset, Operation::Put(source, completer));
        request
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        let (completer, request) = Request::issue(image);
        self.issue(image, offset, Operation::Get(target, completer));
        request
    }

    unsafe fn put_strided(&self, _: usize, _: usize, _: *const u8, _: &Strided<'_>) -> bool {
        false
    }

    unsafe fn get_strided(&self, _: usize, _: usize, _: *mut u8, _: &Strided<'_>) -> bool {
        false
    }

    fn progress(&self) -> bool {
        if let Some(image) = self.next_image() {
            self.last.set(image);
            let waker = self.step(image).flatten();
            wake(waker.into_iter().collect());
        }
        self.queued.get() > 0
    }

    fn wait(&self, request: &Request) {
        wake(self.execute(request.image(), || request.is_complete()));
    }

    fn fence(&self, image: usize) {
        let wakers = self.execute(image, || false);
        fence(Ordering::Release);
        wake(wakers);
    }

    fn quiet(&self) {
        let mut wakers = Vec::new();
        while let Some(image) = self.next_image() {
            while let Some(waker) = self.step(image) {
                wakers.extend(waker);
            }
        }
        fence(Ordering::SeqCst);
        wake(wakers);
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        let wakers = self.execute(image, || false);
        let place = self.place(image, offset, word.bytes());
        // SAFETY: the caller vouches for the word, which is mapped, and that it is used by atomic operations only.
        let old = unsafe { operation.apply(place, word) };
        wake(wakers);
        old
    }

    unsafe fn put_signal(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        signal: usize,
        operation: SignalOperation,
    ) {
        let wakers = self.execute(image, || false);
        let word = self.place(image, signal, size_of::<Signal>());
        // SAFETY: the caller vouches for the bytes, as `put` asks, and for the word, which is mapped and aligned and to which all accesses are atomic.
        unsafe {
            direct::copy_in_one_piece(self.place(image, offset, length), source, length);
            (*word.cast::<Signal>()).change(operation);
        }
        wake(wakers);
    }

    /// A signal is complete when it is given.
    fn quiet_signals(&self) {}

    unsafe fn send(&self, image: usize, _: &[u8]) {
        unreachable!("image {image} shares memory with this one, which needs no messages")
    }

    unsafe fn receive(&self) -> Option<Message> {
        None
    }

    fn has_collectives(&self) -> bool {
        false
    }

    unsafe fn move_blocks(
        &self,
        _: &[u32],
        movement: Movement,
        _: *const u8,
        _: *mut u8,
        _: usize,
    ) {
        unreachable!("{movement:?}: this fabric has no collectives")
    }

    unsafe fn issue_atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request> {
        let (completer, request) = fetches.then(|| Request::issue(image)).unzip();
        self.issue(image, offset, Operation::Atomic(word, operation, completer));
        request
    }
}
