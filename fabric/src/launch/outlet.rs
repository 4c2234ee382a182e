//! Writes to our own output streams without ever waiting for whoever reads them: a supervisor that
//! is stuck behind a pager answers no signal and ends no job.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::PIPE_BUF;

use crate::launch::output::Stream;

/// The descriptor of our own `stream`.
pub(crate) fn descriptor(stream: Stream) -> BorrowedFd<'static> {
    match stream {
        Stream::Output => rustix::stdio::stdout(),
        Stream::Error => rustix::stdio::stderr(),
    }
}

/// Writes as much of `bytes` to our own `stream` as it takes at once, and removes that from
/// `bytes`.
pub(crate) fn write_what_fits(stream: Stream, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut written = 0;
    let result = loop {
        if written == bytes.len() {
            break Ok(());
        }
        match write_piece(stream, &bytes[written..]) {
            Ok(0) => break Ok(()),
            Ok(length) => written += length,
            Err(error) => break Err(error),
        }
    };
    bytes.drain(..written);
    result
}

/// Writes a piece of `bytes` if the stream takes one now.
///
/// The stream is shared with the processes around us, so it must not be made non-blocking. But a
/// pipe that polls as writable has room for `PIPE_BUF` bytes.
fn write_piece(stream: Stream, bytes: &[u8]) -> io::Result<usize> {
    let descriptor = descriptor(stream);
    let mut room = [PollFd::new(&descriptor, PollFlags::OUT)];
    let piece = &bytes[..bytes.len().min(PIPE_BUF)];
    let result = match poll(
        &mut room,
        Some(&Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        }),
    ) {
        Ok(0) => Ok(0),
        Ok(_) => rustix::io::write(descriptor, piece),
        Err(error) => Err(error),
    };
    match result {
        // AGAIN: somebody else made the stream non-blocking.
        Err(Errno::INTR | Errno::AGAIN) => Ok(0),
        result => Ok(result?),
    }
}
