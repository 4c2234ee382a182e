//! The operations of one image: [`Fabric`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::net::SocketAddr;
use std::process::exit;
use std::slice;
use std::sync::Arc;
use std::task::Waker;
use std::thread;
use std::time::Duration;

use coarray_fabric::transport::deferral::wake;
use coarray_fabric::transport::pending::Outstanding;
use coarray_fabric::transport::signalled::Signalled;
use coarray_fabric::{AtomicOperation, Buffer, Fabric, Message, Request, Word};

use crate::connection::{Connection, Greeting, KEY_BYTES};
use crate::frame::Order;
use crate::service::Inbox;

/// How long an image whose connection broke waits to be ended, lest it reports the consequence before the cause.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// Where the images are, and the key to them.
#[derive(Debug)]
pub(crate) struct Addresses {
    pub(crate) key: [u8; KEY_BYTES],
    pub(crate) of_images: Vec<SocketAddr>,
}

/// The way from one image to all.
#[derive(Debug)]
pub(crate) struct Sockets {
    me: usize,
    addresses: Addresses,
    connections: RefCell<BTreeMap<usize, Connection>>,
    outstanding: Outstanding,
    signals: Signalled,
    inbox: Arc<Inbox>,
}

impl Sockets {
    pub(crate) fn new(me: usize, addresses: Addresses, inbox: Arc<Inbox>) -> Self {
        Self {
            me,
            addresses,
            connections: RefCell::default(),
            outstanding: Outstanding::default(),
            signals: Signalled::default(),
            inbox,
        }
    }

    /// Uses the connection to `image`, which is made if there is none.
    fn with<R>(
        &self,
        image: usize,
        operate: impl FnOnce(&mut Connection, &mut Vec<Waker>) -> io::Result<R>,
    ) -> R {
        let mut wakers = Vec::new();
        let mut connections = self.connections.borrow_mut();
        let connection = match connections.entry(image) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.connect(image)),
        };
        let result =
            operate(connection, &mut wakers).unwrap_or_else(|error| self.lose(image, &error));
        drop(connections);
        // Last: a waker may call the library, or panic.
        wake(wakers);
        result
    }

    fn connect(&self, image: usize) -> Connection {
        let greeting = Greeting {
            key: self.addresses.key,
            image: self.me,
        };
        Connection::new(self.addresses.of_images[image], &greeting)
            .unwrap_or_else(|error| self.lose(image, &error))
    }

    /// Closes all connections, from which nothing is awaited any more.
    pub(crate) fn close(&self) {
        self.connections.take();
    }

    /// Ends the job: no operation can fail alone.
    fn lose(&self, image: usize, error: &io::Error) -> ! {
        thread::sleep(GRACE);
        eprintln!(
            "coarray: image {} lost its connection to image {image}: {error}",
            self.me
        );
        exit(1)
    }

    /// Completes all operations on the images whose connections are chosen.
    fn flush(&self, is_chosen: impl Fn(usize, &Connection) -> bool) {
        let mut wakers = Vec::new();
        let mut connections = self.connections.borrow_mut();
        let mut chosen: Vec<_> = connections
            .iter_mut()
            .filter(|(image, connection)| is_chosen(**image, connection))
            .collect();
        // All are asked before one is waited for.
        for (image, connection) in &mut chosen {
            let begun = connection.begin_flush(&mut wakers);
            begun.unwrap_or_else(|error| self.lose(**image, &error));
        }
        for (image, connection) in &mut chosen {
            let ended = connection.end_flush(&mut wakers);
            ended.unwrap_or_else(|error| self.lose(**image, &error));
        }
        if !connections.values().any(Connection::is_dirty) {
            // SAFETY: each connection has told that all that went through it is done.
            unsafe { self.outstanding.end() };
        }
        drop(connections);
        wake(wakers);
    }
}

impl Fabric for Sockets {
    fn outstanding(&self) -> &Outstanding {
        &self.outstanding
    }

    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        // SAFETY: the caller vouches for `length` readable bytes, which nobody writes meanwhile.
        let bytes = unsafe { slice::from_raw_parts(source, length) };
        self.outstanding.begin();
        self.with(image, |connection, wakers| {
            connection.ask(Order::Put { offset, length }, bytes, wakers)
        });
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: the word is readable until `put` returns; the caller vouches for the place.
        unsafe { self.put(image, offset, (&raw const word).cast(), size_of::<u64>()) }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        self.with(image, |connection, wakers| {
            connection.ask(Order::Get { offset, length }, &[], wakers)?;
            // SAFETY: the caller vouches for the target.
            unsafe { connection.read(target, length) }
        });
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, mut source: Buffer) -> Request {
        let (completer, request) = Request::issue(image);
        let (start, length) = (source.start().cast_const(), source.length());
        // SAFETY: the caller vouches for the place, and for a lent buffer; an owned one is kept below.
        unsafe { self.put(image, offset, start, length) };
        self.with(image, |connection, _| {
            connection.keep((source, completer));
            Ok(())
        });
        request
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        let (completer, request) = Request::issue(image);
        self.outstanding.begin();
        self.with(image, |connection, wakers| {
            connection.issue_get(offset, (target, completer), wakers)
        });
        request
    }

    /// Waits for the targets, which answer at any time, so nothing is left.
    fn progress(&self) -> bool {
        self.flush(|_, connection| connection.has_issued());
        false
    }

    fn wait(&self, request: &Request) {
        if !request.is_complete() {
            self.flush(|image, _| image == request.image());
        }
    }

    /// A connection keeps the order; what is left are nonblocking operations.
    fn fence(&self, target: usize) {
        self.flush(|image, connection| image == target && connection.has_issued());
    }

    fn quiet(&self) {
        self.flush(|_, connection| connection.is_dirty());
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        let order = Order::Atomic {
            offset,
            word,
            operation,
        };
        let mut former = [0; size_of::<u64>()];
        self.with(image, |connection, wakers| {
            connection.ask(order, &[], wakers)?;
            // SAFETY: the answer is as long as `former`.
            unsafe { connection.read(former.as_mut_ptr(), former.len()) }
        });
        u64::from_le_bytes(former)
    }

    unsafe fn signal(&self, image: usize, offset: usize, amount: u64) {
        self.signals.note(image);
        self.with(image, |connection, wakers| {
            connection.ask(Order::Signal { offset, amount }, &[], wakers)
        });
    }

    fn quiet_signals(&self) {
        // SAFETY: a flush waits until all that went through the connection is done.
        unsafe {
            self.signals
                .complete(|signalled| self.flush(|image, _| image == signalled))
        };
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        let length = message.len();
        self.with(image, |connection, wakers| {
            connection.ask(Order::Message { length }, message, wakers)
        });
    }

    unsafe fn receive(&self) -> Option<Message> {
        self.inbox.pop()
    }
}
