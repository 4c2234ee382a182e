//! The image processes as their supervisor holds them.

use std::io;
use std::ops::{Deref, DerefMut};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};

use crate::launch::output::Stream;

/// One image's process, and our ends of the pipes it writes to.
#[derive(Debug)]
pub(crate) struct ImageProcess {
    child: Child,
    pipes: [Option<OwnedFd>; 2],
    ended: bool,
}

impl ImageProcess {
    fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let pipes = [
            child.stdout.take().map(OwnedFd::from),
            child.stderr.take().map(OwnedFd::from),
        ];
        for pipe in pipes.iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Self {
            child,
            pipes,
            ended: false,
        })
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process still runs, as far as we have looked.
    pub(crate) fn lives(&self) -> bool {
        !self.ended
    }

    /// How the process ended, once, after it has.
    pub(crate) fn reap(&mut self) -> Option<ExitStatus> {
        if self.ended {
            return None;
        }
        let status = self
            .child
            .try_wait()
            .expect("nobody else waits for our children");
        self.ended = status.is_some();
        status
    }

    /// Where to read what the image writes to `stream`, unless that is closed. Reading never waits.
    pub(crate) fn pipe(&self, stream: Stream) -> Option<&OwnedFd> {
        self.pipes[stream as usize].as_ref()
    }

    /// Reads no more of `stream`.
    pub(crate) fn close(&mut self, stream: Stream) {
        self.pipes[stream as usize] = None;
    }
}

/// All image processes of a job, by image number. Dropping this kills those that still run, so that
/// no way out of a supervisor leaves one behind.
#[derive(Debug, Default)]
pub(crate) struct Children(Vec<ImageProcess>);

impl Children {
    /// Starts the next image.
    pub(crate) fn start(&mut self, command: Command) -> io::Result<()> {
        self.0.push(ImageProcess::start(command)?);
        Ok(())
    }

    /// Whether any process still runs, as far as we have looked.
    pub(crate) fn any_lives(&self) -> bool {
        self.0.iter().any(ImageProcess::lives)
    }

    /// Sends `signal` to all that run.
    pub(crate) fn send(&self, signal: Signal) {
        for image in self.0.iter().filter(|image| image.lives()) {
            // It may have ended, but until it is reaped its number belongs to nobody else.
            let _ = kill_process(Pid::from_child(&image.child), signal);
        }
    }
}

impl Deref for Children {
    type Target = [ImageProcess];

    fn deref(&self) -> &[ImageProcess] {
        &self.0
    }
}

impl DerefMut for Children {
    fn deref_mut(&mut self) -> &mut [ImageProcess] {
        &mut self.0
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        self.send(Signal::KILL);
        for image in self.0.iter_mut().filter(|image| image.lives()) {
            let _ = image.child.wait();
        }
    }
}
