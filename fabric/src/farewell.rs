//! The last words of a process for which its launcher will end the job.
//!
//! Launchers read what processes print from pipes. That of MPICH may end the job, when it is asked to, before it has read why.

use std::os::fd::BorrowedFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use rustix::stdio::{stderr, stdout};

/// How long the launcher may take to read.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often to see whether it has.
const LOOK_AFTER: Duration = Duration::from_millis(1);

/// Waits until somebody has read what this process has printed, but not for long.
pub(crate) fn await_readers() {
    let end = Instant::now() + PATIENCE;
    await_reader(stdout(), end);
    await_reader(stderr(), end);
}

/// Waits until nothing is left in a pipe, or until `end`.
fn await_reader(stream: BorrowedFd<'_>, end: Instant) {
    let is_pipe =
        fstat(stream).is_ok_and(|status| FileType::from_raw_mode(status.st_mode).is_fifo());
    let is_read = || ioctl_fionread(stream).is_ok_and(|unread| unread == 0);
    while is_pipe && !is_read() && Instant::now() < end {
        sleep(LOOK_AFTER);
    }
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
    fn what_is_no_pipe_or_is_empty_is_not_waited_for() {
        let (_reader, writer) = pipe().unwrap();
        // At its start, so that all of it could be read.
        let file = File::open("/proc/self/exe").unwrap();
        let start = Instant::now();
        await_reader(writer.as_fd(), start + LONG);
        await_reader(file.as_fd(), start + LONG);
        assert!(start.elapsed() < LONG);
    }
}
