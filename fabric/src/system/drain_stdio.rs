//! Waiting until a launcher has read the output of a process that is about to end the job.
//!
//! Launchers read the output of processes from pipes. MPICH's launcher, asked to end the job, may do so before it has read why.

use std::os::fd::BorrowedFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use rustix::stdio::{stderr, stdin, stdout};

/// How long the launcher may take to read.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The interval of polling.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Waits until the output of this process has been read, at most a second for each stream.
pub fn await_readers() {
    let end = Instant::now() + TIMEOUT;
    await_reader(stdout(), end);
    await_reader(stderr(), end);
}

/// Waits until the launcher has passed on its own input to the end, at most a second.
///
/// MPICH's launcher dies, and loses output that it has not passed on, if the job ends before that, even if its input is empty.
pub fn await_input() {
    await_writer(stdin(), Instant::now() + TIMEOUT);
}

/// Waits until all writers of a pipe have closed it, or until `end`.
fn await_writer(stream: BorrowedFd<'_>, end: Instant) {
    let is_closed = || {
        // `poll` reports a closed pipe even if no event is asked for.
        let mut streams = [PollFd::from_borrowed_fd(stream, PollFlags::empty())];
        poll(&mut streams, Some(&Timespec::default())).is_ok_and(|told| told > 0)
    };
    while is_pipe(stream) && !is_closed() && Instant::now() < end {
        sleep(POLL_INTERVAL);
    }
}

/// Waits until a pipe is empty, or until `end`.
fn await_reader(stream: BorrowedFd<'_>, end: Instant) {
    let is_read = || ioctl_fionread(stream).is_ok_and(|unread| unread == 0);
    while is_pipe(stream) && !is_read() && Instant::now() < end {
        sleep(POLL_INTERVAL);
    }
}

fn is_pipe(stream: BorrowedFd<'_>) -> bool {
    fstat(stream).is_ok_and(|status| FileType::from_raw_mode(status.st_mode).is_fifo())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write, pipe};
    use std::os::fd::AsFd;
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn a_pipe_is_waited_for_until_it_is_read() {
        let (mut reader, mut writer) = pipe().unwrap();
        writer.write_all(b"why").unwrap();
        let start = Instant::now();
        thread::scope(|scope| {
            let reading = scope.spawn(|| {
                sleep(SHORT);
                let mut text = [0; 3];
                reader.read_exact(&mut text).unwrap();
                text
            });
            await_reader(writer.as_fd(), start + LONG);
            assert!((SHORT..LONG).contains(&start.elapsed()));
            assert_eq!(ioctl_fionread(&writer).unwrap(), 0);
            assert_eq!(reading.join().unwrap(), *b"why");
        });
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_not_waited_for_for_ever() {
        let (_reader, mut writer) = pipe().unwrap();
        writer.write_all(b"why").unwrap();
        let start = Instant::now();
        await_reader(writer.as_fd(), start + SHORT);
        assert!((SHORT..LONG).contains(&start.elapsed()));
    }

    #[test]
    fn who_writes_into_a_pipe_is_waited_for_until_it_is_closed() {
        let (reader, mut writer) = pipe().unwrap();
        writer.write_all(b"input").unwrap();
        let start = Instant::now();
        await_writer(reader.as_fd(), start + SHORT);
        assert!((SHORT..LONG).contains(&start.elapsed()));
        let start = Instant::now();
        thread::scope(|scope| {
            scope.spawn(move || {
                sleep(SHORT);
                drop(writer);
            });
            await_writer(reader.as_fd(), start + LONG);
        });
        assert!((SHORT..LONG).contains(&start.elapsed()));
    }

    #[test]
    fn what_is_no_pipe_or_is_empty_is_not_waited_for() {
        let (_reader, writer) = pipe().unwrap();
        // At its start, so that all of it could be read.
        let file = File::open("/proc/self/exe").unwrap();
        let start = Instant::now();
        await_reader(writer.as_fd(), start + LONG);
        await_reader(file.as_fd(), start + LONG);
        await_writer(file.as_fd(), start + LONG);
        assert!(start.elapsed() < LONG);
    }
}
