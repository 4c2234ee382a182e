//! The side of the origin: a connection to one image, made when this image first needs it.
//!
//! What goes through a connection is carried out in order. So a put need not be waited for, and a fence costs nothing.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::task::Waker;

use coarray_fabric::Buffer;
use coarray_fabric::transport::completion::Completer;

use crate::frame::Order;
use crate::memory;

/// Bytes of the secret that all processes of a job know.
pub(crate) const KEY_BYTES: usize = 16;

/// What comes first through a connection.
pub(crate) struct Greeting {
    pub(crate) key: [u8; KEY_BYTES],
    pub(crate) image: usize,
}

impl Greeting {
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.key)?;
        to.write_all(&(self.image as u64).to_le_bytes())
    }

    /// None if nobody wants to talk after all.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let (mut key, mut image) = ([0; KEY_BYTES], [0; 8]);
        let read = from
            .read_exact(&mut key)
            .and_then(|()| from.read_exact(&mut image));
        match read {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            read => read.map(|()| {
                let image = u64::from_le_bytes(image) as usize;
                Some(Self { key, image })
            }),
        }
    }
}

/// The buffer of a nonblocking operation, and what completes it.
type Issued = (Buffer, Completer<Buffer>);

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// A get, or an atomic operation, whose answer has not been read. It is read before anything else is asked for: two sides that both write, and do not
    /// read, would wait for each other.
    awaited: Option<Issued>,
    /// Nonblocking puts that a flush completes.
    puts: Vec<Issued>,
    /// Whether an atomic operation was sent since the last flush that is not answered.
    has_updates: bool,
    /// Whether something was sent since the last flush.
    is_dirty: bool,
}

impl Connection {
    pub(crate) fn new(address: SocketAddr, greeting: &Greeting) -> io::Result<Self> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        greeting.write(&mut stream)?;
        Ok(Self {
            stream,
            awaited: None,
            puts: Vec::new(),
            has_updates: false,
            is_dirty: false,
        })
    }

    /// Whether a nonblocking operation may not be complete.
    pub(crate) fn has_issued(&self) -> bool {
        self.awaited.is_some() || !self.puts.is_empty() || self.has_updates
    }

    /// Whether anything may not be complete.
    pub(crate) fn is_dirty(&self) -> bool {
        self.is_dirty || self.has_issued()
    }

    /// Asks for something; `bytes` go with it. Wakers of an operation that this completes are added to `wakers`.
    pub(crate) fn ask(
        &mut self,
        order: Order,
        bytes: &[u8],
        wakers: &mut Vec<Waker>,
    ) -> io::Result<()> {
        /// Up to this many bytes it is cheaper to copy them than to call the system twice.
        const SMALL: usize = 4096;
        self.finish_awaited(wakers)?;
        self.is_dirty = true;
        if bytes.len() > SMALL {
            self.stream.write_all(&order.to_bytes())?;
            return self.stream.write_all(bytes);
        }
        let mut frame = order.to_bytes().to_vec();
        frame.extend_from_slice(bytes);
        self.stream.write_all(&frame)
    }

    /// Reads the answer to what was asked last.
    ///
    /// # Safety
    /// `target` is valid for writes of `length` bytes.
    pub(crate) unsafe fn read(&mut self, target: *mut u8, length: usize) -> io::Result<()> {
        // SAFETY: as the caller vouches.
        unsafe { memory::read(&mut self.stream, target, length) }
    }

    /// Asks for bytes that are read later, into a buffer of as many.
    pub(crate) fn issue(
        &mut self,
        order: Order,
        issued: Issued,
        wakers: &mut Vec<Waker>,
    ) -> io::Result<()> {
        self.ask(order, &[], wakers)?;
        self.awaited = Some(issued);
        Ok(())
    }

    /// Asks for an atomic operation that is not answered.
    pub(crate) fn update(&mut self, order: Order, wakers: &mut Vec<Waker>) -> io::Result<()> {
        self.has_updates = true;
        self.ask(order, &[], wakers)
    }

    /// Keeps the buffer of a nonblocking put, which has been sent, until it is complete.
    pub(crate) fn keep(&mut self, put: Issued) {
        self.puts.push(put);
    }

    fn finish_awaited(&mut self, wakers: &mut Vec<Waker>) -> io::Result<()> {
        if let Some((mut buffer, completer)) = self.awaited.take() {
            let (target, length) = (buffer.start(), buffer.length());
            // SAFETY: who issued it has promised that a lent buffer is valid until the operation is complete; an owned one is ours.
            unsafe { self.read(target, length)? };
            wakers.extend(completer.complete(buffer));
        }
        Ok(())
    }

    /// Asks the target to tell when everything so far is complete, and reads what is to be read before.
    pub(crate) fn begin_flush(&mut self, wakers: &mut Vec<Waker>) -> io::Result<()> {
        self.ask(Order::Flush, &[], wakers)
    }

    /// Waits until everything before [`begin_flush`](Self::begin_flush) is complete.
    pub(crate) fn end_flush(&mut self, wakers: &mut Vec<Waker>) -> io::Result<()> {
        self.stream.read_exact(&mut [0])?;
        (self.is_dirty, self.has_updates) = (false, false);
        let complete = |(buffer, completer): Issued| completer.complete(buffer);
        wakers.extend(self.puts.drain(..).filter_map(complete));
        Ok(())
    }
}
