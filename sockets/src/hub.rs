//! Where the processes of a job meet: a thread of the process that started them. They tell it where they are, and it gathers what
//! they have to exchange before their memory is reachable.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::connection::{Greeting, KEY_BYTES};

/// How long one that connected may take to say who it is.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// A place to meet for so many images.
pub(crate) struct Hub {
    listener: TcpListener,
    images: usize,
    key: [u8; KEY_BYTES],
}

impl Hub {
    pub(crate) fn new(images: usize, key: [u8; KEY_BYTES]) -> io::Result<Self> {
        let listener = TcpListener::bind((IpAddr::V4(Ipv4Addr::LOCALHOST), 0))?;
        Ok(Self {
            listener,
            images,
            key,
        })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until an image is gone; then the others find out. The result is true once all have said goodbye.
    pub(crate) fn serve(self) -> Arc<AtomicBool> {
        let is_over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_over);
        thread::spawn(move || {
            // Whoever is left is told by the end of its connection.
            if let Ok(mut streams) = self.meet() {
                while exchange(&mut streams, &told).is_ok() {}
            }
        });
        is_over
    }

    /// The connections to all images, in their order.
    fn meet(&self) -> io::Result<Vec<TcpStream>> {
        let mut streams: Vec<Option<TcpStream>> = (0..self.images).map(|_| None).collect();
        while streams.iter().any(Option::is_none) {
            let (mut stream, _) = self.listener.accept()?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(GREETING_TIMEOUT))?;
            // Whoever is no image of this job is let go.
            let greeting = Greeting::read(&mut stream).ok().flatten();
            if let Some(greeting) = greeting.filter(|greeting| greeting.key == self.key)
                && let Some(place) = streams.get_mut(greeting.image)
            {
                stream.set_read_timeout(None)?;
                stream.write_all(&(self.images as u64).to_le_bytes())?;
                *place = Some(stream);
            }
        }
        Ok(streams.into_iter().flatten().collect())
    }
}

/// What an image gathers last.
pub(crate) const GOODBYE: &[u8] = b"goodbye";

/// Gathers once.
fn exchange(streams: &mut [TcpStream], is_over: &AtomicBool) -> io::Result<()> {
    let mut all = Vec::new();
    for stream in &mut *streams {
        all.extend(read_block(stream)?);
    }
    // Relaxed: an image ends only when it has its answer, and whoever sees its end sees this.
    is_over.store(all.starts_with(GOODBYE), Ordering::Relaxed);
    streams
        .iter_mut()
        .try_for_each(|stream| write_block(stream, &all))
}

/// Bytes behind their number.
pub(crate) fn read_block(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// As [`read_block`] reads.
pub(crate) fn write_block(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}
