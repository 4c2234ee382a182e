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
use coarray_fabric::transport::movement::Movement;
use coarray_fabric::transport::pending::Outstanding;
use coarray_fabric::transport::signalled::Signalled;
use coarray_fabric::{
    AtomicOperation, Buffer, Fabric, Message, Request, SignalOperation, Strided, Word,
};

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
        let length = target.length();
        self.outstanding.begin();
        self.with(image, |connection, wakers| {
            connection.issue(Order::Get { offset, length }, (target, completer), wakers)
        });
        request
    }

    unsafe fn put_strided(&self, _: usize, _: usize, _: *const u8, _: &Strided<'_>) -> bool {
        false
    }

    unsafe fn get_strided(&self, _: usize, _: usize, _: *mut u8, _: &Strided<'_>) -> bool {
        false
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
            fetches: true,
        };
        let mut former = [0; size_of::<u64>()];
        self.with(image, |connection, wakers| {
            connection.ask(order, &[], wakers)?;
            // SAFETY: the answer is as long as `former`.
            unsafe { connection.read(former.as_mut_ptr(), former.len()) }
        });
        u64::from_ne_bytes(former)
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
        // SAFETY: the caller vouches for `length` readable bytes, which nobody writes meanwhile.
        let bytes = unsafe { slice::from_raw_parts(source, length) };
        let order = Order::PutSignal {
            offset,
            length,
            signal,
            operation,
        };
        if length > 0 {
            self.outstanding.begin();
        }
        self.signals.note(image);
        self.with(image, |connection, wakers| {
            connection.ask(order, bytes, wakers)
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
        let order = Order::Atomic {
            offset,
            word,
            operation,
            fetches,
        };
        self.outstanding.begin();
        self.with(image, |connection, wakers| {
            if !fetches {
                connection.update(order, wakers)?;
                return Ok(None);
            }
            let (completer, request) = Request::issue(image);
            connection.issue(order, (Buffer::of_word(0), completer), wakers)?;
            Ok(Some(request))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};
    use std::sync::Barrier;

    use coarray_fabric::Signal;
    use coarray_fabric::memory::region::{Areas, Region};

    use super::*;
    use crate::memory::Memory;
    use crate::service::Service;

    const IMAGES: usize = 3;
    const KEY: [u8; KEY_BYTES] = [7; KEY_BYTES];

    /// None, a word, what goes with its header in one call of the system, and more.
    const LENGTHS: [usize; 4] = [0, 8, 4096, 1 << 20];

    const MOST: usize = 1 << 20;

    /// Where in the heap of each image the signal word is, what is put with it, and what is put to a third image.
    const WORD: usize = 0;
    const BYTES: usize = 64;
    const LONG: usize = 128 + MOST;

    const HEAP: usize = LONG + MOST;

    fn region() -> Region {
        let areas = Areas {
            job: 64,
            image: 64,
            sparse: 0,
        };
        let region = Region::create(areas, 0, IMAGES, HEAP, false).unwrap();
        (0..IMAGES).for_each(|image| region.commit_heap(image, 0, HEAP, 1).unwrap());
        region
    }

    /// Puts with signal to the next image, while a long put to the third one is in flight.
    fn take_part(fabric: &Sockets, region: &Region, barrier: &Barrier) {
        let [next, third] = [1, 2].map(|distance| (fabric.me + distance) % IMAGES);
        let own = region.heap(fabric.me);
        // SAFETY: the word is in the heap, aligned, and accessed as a signal only.
        let word = unsafe { &*own.add(WORD).cast::<Signal>() };
        let has = |start, length, byte: u8| {
            // SAFETY: the bytes are in the heap, and who has put there waits at the barrier.
            (start..start + length).all(|at| unsafe { own.add(at).read_volatile() } == byte)
        };
        let at = |place| region.heap_offset() + place;
        let operations = [SignalOperation::Set, SignalOperation::Add];
        let calls = LENGTHS.map(|length| operations.map(|operation| (length, operation)));
        let mut value = 0;
        for (length, operation) in calls.as_flattened().repeat(5) {
            let amount = match operation(0) {
                SignalOperation::Set(_) => value + 3,
                SignalOperation::Add(_) => 3,
            };
            value += 3;
            let byte = value as u8;
            let mut source = vec![byte; length];
            // SAFETY: the places are in heaps that only the fabric uses; the buffer is the operation's own. The word is one of signals.
            unsafe {
                let long = Buffer::Owned(vec![byte; MOST].into());
                drop(fabric.issue_put(third, at(LONG), long));
                let start = source.as_ptr();
                fabric.put_signal(next, at(BYTES), start, length, at(WORD), operation(amount));
            }
            // It may be used again.
            source.fill(!byte);
            while word.sum() != value {
                thread::yield_now();
            }
            assert!(has(BYTES, length, byte), "{length} bytes");
            barrier.wait();
        }
        assert!(fabric.outstanding().get());
        fabric.quiet();
        fabric.quiet_signals();
        barrier.wait();
        assert!(has(LONG, MOST, value as u8));
    }

    #[test]
    fn the_bytes_of_a_put_with_signal_are_there_when_the_signal_is_seen() {
        let region = region();
        let listeners = [0; IMAGES].map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let of_images: Vec<_> = listeners
            .iter()
            .map(|listener| listener.local_addr().unwrap())
            .collect();
        let barrier = Barrier::new(IMAGES);
        thread::scope(|scope| {
            for (me, listener) in listeners.into_iter().enumerate() {
                let (region, barrier) = (&region, &barrier);
                let of_images = of_images.clone();
                scope.spawn(move || {
                    let inbox = Arc::new(Inbox::default());
                    // SAFETY: the service ends below, and the region is mapped until all threads have ended.
                    let memory = unsafe { Memory::of(region, me) };
                    let service =
                        Service::begin(listener, KEY, memory, Arc::clone(&inbox)).unwrap();
                    let addresses = Addresses {
                        key: KEY,
                        of_images,
                    };
                    let fabric = Sockets::new(me, addresses, inbox);
                    take_part(&fabric, region, barrier);
                    barrier.wait();
                    fabric.close();
                    service.end();
                });
            }
        });
    }
}
