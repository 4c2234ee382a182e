//! The side of the target: threads that carry out what other images ask for, one for each image that has connected. So an image that
//! computes for long is reached at any time.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use coarray_fabric::{Message, Signal};

use crate::connection::{Greeting, KEY_BYTES};
use crate::frame::Order;
use crate::memory::{self, Memory};

/// Messages that have arrived, in the order of each connection.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<VecDeque<Message>>);

impl Inbox {
    fn push(&self, message: Message) {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.push_back(message);
    }

    pub(crate) fn pop(&self) -> Option<Message> {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.pop_front()
    }
}

/// The threads.
pub(crate) struct Service {
    acceptor: JoinHandle<()>,
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Service {
    /// Serves whoever connects and knows the key, until [`end`](Self::end).
    pub(crate) fn begin(
        listener: TcpListener,
        key: [u8; KEY_BYTES],
        memory: Memory,
        inbox: Arc<Inbox>,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_over);
        let acceptor = thread::spawn(move || {
            let mut servers = Vec::new();
            for stream in listener.incoming() {
                if told.load(Ordering::Relaxed) {
                    break;
                }
                let inbox = Arc::clone(&inbox);
                servers.push(thread::spawn(move || {
                    if let Err(error) =
                        stream.and_then(|stream| serve(&stream, key, memory, &inbox))
                    {
                        eprintln!("coarray: a connection was given up: {error}");
                    }
                }));
            }
            for server in servers {
                // A thread that panicked has said so.
                let _ = server.join();
            }
        });
        Ok(Self {
            acceptor,
            address,
            is_over,
        })
    }

    /// Waits until all that have connected are gone.
    pub(crate) fn end(self) {
        // Relaxed: the connection below is accepted later.
        self.is_over.store(true, Ordering::Relaxed);
        // If that fails, there is nothing to accept.
        let _ = TcpStream::connect(self.address);
        let _ = self.acceptor.join();
    }
}

/// Carries out the orders of one connection, one after the other.
fn serve(
    stream: &TcpStream,
    key: [u8; KEY_BYTES],
    memory: Memory,
    inbox: &Inbox,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut orders, mut answers) = (BufReader::new(stream), stream);
    let Some(greeting) = Greeting::read(&mut orders)?.filter(|greeting| greeting.key == key) else {
        return Ok(());
    };
    while let Some(order) = Order::read(&mut orders)? {
        match order {
            Order::Put { offset, length } => {
                let place = memory.place(offset, length)?;
                // SAFETY: the place is in the part. Whoever puts vouches that it may write there.
                unsafe { memory::read(&mut orders, place, length)? };
            }
            Order::Get { offset, length } => {
                let place = memory.place(offset, length)?;
                // SAFETY: as for a put.
                unsafe { memory::write(&mut answers, place, length)? };
            }
            Order::Atomic {
                offset,
                word,
                operation,
                fetches,
            } => {
                let place = memory.place(offset, word.bytes())?;
                // SAFETY: the word is in the part; `Fabric::atomic` was promised that it is aligned, and used by such calls only.
                let former = unsafe { operation.apply(place, word) };
                if fetches {
                    answers.write_all(&former.to_ne_bytes())?;
                }
            }
            Order::PutSignal {
                offset,
                length,
                signal,
                operation,
            } => {
                let place = memory.place(offset, length)?;
                let word = memory.place(signal, size_of::<Signal>())?;
                // SAFETY: as for a put.
                unsafe { memory::read(&mut orders, place, length)? };
                // SAFETY: the word is in the part; `Fabric::put_signal` was promised that it is aligned, and a signal word.
                unsafe { &*word.cast::<Signal>() }.change(operation);
            }
            Order::Message { length } => {
                let mut bytes = vec![0; length];
                orders.read_exact(&mut bytes)?;
                inbox.push(Message {
                    from: greeting.image,
                    bytes,
                });
            }
            Order::Flush => answers.write_all(&[1])?,
        }
    }
    Ok(())
}
