//! Nonblocking writes to our own output streams: a supervisor that waits for a pager or a stopped terminal would handle no signal.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;
use rustix::pipe::PIPE_BUF;

use crate::output::Stream;

/// The pause after a stream refused bytes although it polled as writable, as a stopped terminal may.
const REST: Duration = Duration::from_millis(20);

/// One of our own output streams.
#[derive(Debug)]
pub(crate) struct NonblockingStdout {
    stream: Stream,
    /// The same pipe or terminal, opened again as nonblocking: the stream itself is shared with other processes. `None` for files, which do not
    /// block.
    own: Option<OwnedFd>,
    /// When to try again.
    rest: Option<Instant>,
}

impl NonblockingStdout {
    pub(crate) fn new(stream: Stream) -> Self {
        let inherited = descriptor(stream);
        let is_pipe = fstat(inherited)
            .is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::Fifo);
        let number = match stream {
            Stream::Output => 1,
            Stream::Error => 2,
        };
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let own = (is_pipe || inherited.is_terminal())
            .then(|| open(format!("/proc/self/fd/{number}"), flags, Mode::empty()));
        Self {
            stream,
            own: own.and_then(Result::ok),
            rest: None,
        }
    }

    /// Until when the stream takes nothing; otherwise it can be polled.
    pub(crate) fn rest(&self) -> Option<Instant> {
        self.rest
    }

    /// Writes as much of `bytes` as the stream takes at once, and removes that from `bytes`.
    pub(crate) fn write_what_fits(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        if self.rest.is_some_and(|end| Instant::now() < end) {
            return Ok(());
        }
        self.rest = None;
        let mut written = 0;
        let result = loop {
            if written == bytes.len() {
                break Ok(());
            }
            match self.write_piece(&bytes[written..]) {
                Ok(0) => break Ok(()),
                Ok(length) => written += length,
                Err(error) => break Err(error),
            }
        };
        bytes.drain(..written);
        result
    }

    /// Writes a piece of `bytes` if the stream takes one now. A pipe that polls as writable has room for `PIPE_BUF` bytes,
    /// and does not mix them with what others write.
    fn write_piece(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut room = [PollFd::new(&*self, PollFlags::OUT)];
        let piece = &bytes[..bytes.len().min(PIPE_BUF)];
        match poll(&mut room, Some(&Timespec::default())) {
            Ok(0) | Err(Errno::INTR) => return Ok(0),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        match rustix::io::write(&*self, piece) {
            Err(Errno::INTR) => Ok(0),
            Err(Errno::AGAIN) => {
                self.rest = Some(Instant::now() + REST);
                Ok(0)
            }
            result => Ok(result?),
        }
    }
}

impl AsFd for NonblockingStdout {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.own {
            Some(own) => own.as_fd(),
            None => descriptor(self.stream),
        }
    }
}

/// The descriptor of our own `stream`.
fn descriptor(stream: Stream) -> BorrowedFd<'static> {
    match stream {
        Stream::Output => rustix::stdio::stdout(),
        Stream::Error => rustix::stdio::stderr(),
    }
}
