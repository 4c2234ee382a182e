//! A simulated network between threads, for tests.
//!
//! Each node has a region of its own, in which the parts of other nodes are shadows, as on a cluster. Puts stay in flight until an operation
//! completes them, and operations on other places may overtake them, as on networks with several paths. The network can be broken
//! deliberately, to see that tests notice it.

mod fault;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::memory::region::RegionOwner;
use crate::transport::access::{Access, Direction};
use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::deferral::Deferral;
use crate::transport::fabric::{Fabric, Message};
use crate::transport::movement::Movement;
use crate::transport::pending::Outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::shared_memory::SharedMemory;
use crate::transport::signal::{Signal, SignalOperation};
use crate::transport::signalled::Signalled;
use crate::transport::strided::Strided;

pub use fault::Fault;

/// Polls after which a delayed put is executed.
const DELAY: u32 = 2000;

/// What goes through the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carried {
    /// An active message.
    Message,
    /// A put.
    Put,
    /// A get.
    Get,
    /// An atomic operation.
    Atomic,
    /// A signal alone.
    Signal,
    /// A put with signal.
    PutSignal,
}

/// How often each of these went to each image.
pub type Traffic = BTreeMap<(Carried, usize), u64>;

thread_local! {
    static TRAFFIC: RefCell<Traffic> = const { RefCell::new(BTreeMap::new()) };
}

/// Local. What the image of this thread has sent to others since the last call: a hook for tests.
#[must_use]
pub fn take_traffic() -> Traffic {
    TRAFFIC.take()
}

/// The network of one job.
#[derive(Debug)]
pub struct Exchange {
    /// The regions of the nodes.
    by_node: Vec<Arc<dyn RegionOwner>>,
    /// The messages to each image.
    inboxes: Vec<Mutex<VecDeque<Message>>>,
    fault: Fault,
}

impl Exchange {
    /// The network between nodes with these regions, and what is wrong with it.
    #[must_use]
    pub fn new(by_node: Vec<Arc<dyn RegionOwner>>, images: usize, fault: Fault) -> Self {
        Self {
            by_node,
            inboxes: (0..images).map(|_| Mutex::default()).collect(),
            fault,
        }
    }
}

/// The one-sided operations of one image.
#[derive(Debug)]
pub struct Simulated {
    exchange: Arc<Exchange>,
    me: usize,
    memory: SharedMemory,
    /// A put that later operations overtake.
    overtaken: RefCell<Option<(Access, Buffer)>>,
    signals: Signalled,
    polls: Cell<u32>,
    atomics: Cell<u32>,
}

impl Simulated {
    /// For image `me`.
    #[must_use]
    pub fn new(exchange: Arc<Exchange>, me: usize) -> Self {
        Self {
            memory: SharedMemory::to_all(exchange.by_node.clone()),
            exchange,
            me,
            overtaken: RefCell::default(),
            signals: Signalled::default(),
            polls: Cell::new(0),
            atomics: Cell::new(0),
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.exchange.fault == fault
    }

    fn count(&self, carried: Carried, image: usize) {
        if image != self.me {
            TRAFFIC.with_borrow_mut(|traffic| *traffic.entry((carried, image)).or_default() += 1);
        }
    }

    fn release_overtaken(&self) {
        // A waker that panics must not lose the put.
        let _wakers = Deferral::new();
        if let Some((access, source)) = self.overtaken.take() {
            let (image, offset) = (access.image(), access.start());
            // SAFETY: the caller of `put` vouched for the target until the put is complete; the source is owned.
            drop(unsafe { self.memory.issue_put(image, offset, source) });
        }
    }

    /// Puts bytes on their way.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    unsafe fn carry(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        let access = Access::new(image, Direction::Put, offset, length);
        self.keep_order(access);
        // SAFETY: the caller vouches for `length` readable, initialised bytes.
        let bytes = unsafe { std::slice::from_raw_parts(source, length) };
        let source = Buffer::Owned(bytes.into());
        if self.overtaken.borrow().is_none() {
            *self.overtaken.borrow_mut() = Some((access, source));
            self.note();
            return;
        }
        // SAFETY: the caller vouches for the target until the put is complete; the source is owned.
        drop(unsafe { self.memory.issue_put(image, offset, source) });
        self.release_overtaken();
    }

    /// Before an operation: it must not overtake a put to the same bytes.
    fn keep_order(&self, access: Access) {
        let conflicts = |(put, _): &(Access, Buffer)| put.conflicts(access);
        if !self.has(Fault::Reorder) && self.overtaken.borrow().as_ref().is_some_and(conflicts) {
            self.release_overtaken();
        }
    }

    /// The atomic operation, unless the network loses it.
    fn or_lost(&self, operation: AtomicOperation) -> AtomicOperation {
        let number = self.atomics.get();
        self.atomics.set(number.wrapping_add(1));
        match self.has(Fault::LoseAtomic) && number % 16 == 15 {
            true => AtomicOperation::Load,
            false => operation,
        }
    }

    /// After any operation: `memory` does not know of the overtaken put, which is outstanding, too. Under a deferral that began before the
    /// operation: a waker that panics must not keep this from being noted.
    fn note(&self) {
        if self.overtaken.borrow().is_some() {
            self.memory.outstanding().begin();
        }
    }
}

impl Fabric for Simulated {
    fn outstanding(&self) -> &Outstanding {
        self.memory.outstanding()
    }

    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.count(Carried::Put, image);
        // SAFETY: the caller vouches for source and target.
        unsafe { self.carry(image, offset, source, length) }
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: `word` is readable until `put` returns, which has copied it; the caller vouches for the place.
        unsafe { self.put(image, offset, (&raw const word).cast(), size_of::<u64>()) }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        self.count(Carried::Get, image);
        let _wakers = Deferral::new();
        self.keep_order(Access::new(image, Direction::Get, offset, length));
        // SAFETY: the caller vouches for both places, as `Fabric::get` asks.
        unsafe { self.memory.get(image, offset, target, length) }
        self.note();
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        self.count(Carried::Put, image);
        self.keep_order(Access::new(image, Direction::Put, offset, source.length()));
        // SAFETY: the caller vouches for the target and a lent buffer until completion.
        unsafe { self.memory.issue_put(image, offset, source) }
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        self.count(Carried::Get, image);
        self.keep_order(Access::new(image, Direction::Get, offset, target.length()));
        // SAFETY: the caller vouches for the target and a lent buffer until completion.
        unsafe { self.memory.issue_get(image, offset, target) }
    }

    unsafe fn put_strided(&self, _: usize, _: usize, _: *const u8, _: &Strided<'_>) -> bool {
        false
    }

    unsafe fn get_strided(&self, _: usize, _: usize, _: *mut u8, _: &Strided<'_>) -> bool {
        false
    }

    fn progress(&self) -> bool {
        self.release_overtaken();
        self.memory.progress()
    }

    fn wait(&self, request: &Request) {
        // A request is complete only when earlier operations on the same image are.
        self.release_overtaken();
        self.memory.wait(request);
    }

    fn fence(&self, image: usize) {
        if !self.has(Fault::DropFence) && !self.has(Fault::DelayPuts) {
            let _wakers = Deferral::new();
            // A put to another image stays in flight.
            let is_overtaken = |(put, _): &(Access, Buffer)| put.image() == image;
            if self.overtaken.borrow().as_ref().is_some_and(is_overtaken) {
                self.release_overtaken();
            }
            self.memory.fence(image);
            self.note();
        }
    }

    fn quiet(&self) {
        if !self.has(Fault::DelayPuts) {
            self.release_overtaken();
            self.memory.quiet();
        }
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        self.count(Carried::Atomic, image);
        let _wakers = Deferral::new();
        self.keep_order(Access::new(image, Direction::Put, offset, word.bytes()));
        let operation = self.or_lost(operation);
        // SAFETY: the caller vouches for the word, as `Fabric::atomic` asks.
        let old = unsafe { self.memory.atomic(image, offset, word, operation) };
        self.note();
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
        if length == 0 {
            self.count(Carried::Signal, image);
        } else {
            self.count(Carried::PutSignal, image);
            // SAFETY: the caller vouches for source and target.
            unsafe { self.carry(image, offset, source, length) };
        }
        self.fence(image);
        self.signals.note(image);
        // Not by `memory`, whose signal follows all that was issued, whatever is wrong with this network.
        let word = self.memory.place(image, signal, size_of::<Signal>());
        // SAFETY: the caller vouches for the word, which is mapped and aligned, and that all accesses to it are atomic.
        unsafe { &*word.cast::<Signal>() }.change(operation);
    }

    /// The last one first.
    unsafe fn set_signals(&self, images: &[(usize, &[u64])], offset: usize) {
        for &(image, words) in images {
            self.count(Carried::Signal, image);
            self.signals.note(image);
            for (number, &word) in words.iter().enumerate().rev() {
                let offset = offset + number * size_of::<Signal>();
                let place = self.memory.place(image, offset, size_of::<Signal>());
                // SAFETY: the caller vouches for the word, which is mapped and aligned, and that all accesses to it are atomic.
                unsafe { &*place.cast::<Signal>() }.change(SignalOperation::Set(word));
            }
        }
    }

    fn quiet_signals(&self) {
        // SAFETY: memory takes a signal at once.
        unsafe { self.signals.complete(|_| ()) };
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        self.count(Carried::Message, image);
        let inbox = &self.exchange.inboxes[image];
        let mut inbox = inbox.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.push_back(Message {
            from: self.me,
            bytes: message.into(),
        });
    }

    unsafe fn receive(&self) -> Option<Message> {
        let polls = self.polls.get() + 1;
        self.polls.set(polls % DELAY);
        if polls == DELAY {
            self.progress();
        }
        let inbox = &self.exchange.inboxes[self.me];
        let mut inbox = inbox.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.pop_front()
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
        self.count(Carried::Atomic, image);
        self.keep_order(Access::new(image, Direction::Put, offset, word.bytes()));
        let operation = self.or_lost(operation);
        // SAFETY: the caller vouches for the word until completion, as `Fabric::issue_atomic` asks.
        unsafe {
            self.memory
                .issue_atomic(image, offset, word, operation, fetches)
        }
    }
}
