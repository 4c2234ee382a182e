//! The image processes of a supervisor.

use std::io;
use std::ops::{Deref, DerefMut};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal,
};

use crate::ancestry::is_descendant;
use crate::output::Stream;

/// One image's process, and our ends of the pipes it writes to.
#[derive(Debug)]
pub(crate) struct ImageProcess {
    child: Child,
    pipes: [Option<OwnedFd>; 2],
    /// How our child ended.
    status: Option<ExitStatus>,
    /// The image, if our child only started it.
    inner: Option<Inner>,
    /// Whether its end was handled, or does not matter.
    is_judged: bool,
}

/// An image that a child of ours has started, such as a script: its own child, or further away.
#[derive(Debug)]
struct Inner {
    process: Pid,
    /// Readable when the process has ended; `None` afterwards.
    handle: Option<OwnedFd>,
}

/// Which processes of an image have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All. This is how our child ended.
    All(ExitStatus),
    /// The image; our child, which started it, still runs.
    Inner,
}

impl Inner {
    /// A process that has claimed an image, if it descends from us.
    fn find(process: Pid) -> Option<Self> {
        let handle = pidfd_open(process, PidfdFlags::empty()).ok();
        let mut inner = Self { process, handle };
        // From here on the handle cannot refer to another process with that number.
        (is_descendant(process, getpid()) || inner.has_ended()).then_some(inner)
    }

    fn has_ended(&mut self) -> bool {
        self.handle.is_none() || self.has_just_ended()
    }

    /// Whether it has ended since the last look.
    fn has_just_ended(&mut self) -> bool {
        let Some(handle) = &self.handle else {
            return false;
        };
        let mut event = [PollFd::new(handle, PollFlags::IN)];
        let has_ended = matches!(poll(&mut event, Some(&Timespec::default())), Ok(1));
        if has_ended {
            self.handle = None;
        }
        has_ended
    }
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
            status: None,
            inner: None,
            is_judged: false,
        })
    }

    /// The number of the image's process, as far as we know.
    pub(crate) fn id(&self) -> u32 {
        match &self.inner {
            Some(inner) => inner.process.as_raw_pid() as u32,
            None => self.child.id(),
        }
    }

    /// Whether the image, or what started it, still runs, as far as we have looked.
    pub(crate) fn lives(&self) -> bool {
        !self.is_judged && (self.status.is_none() || self.handle().is_some())
    }

    /// Stops waiting for our child: the image has ended, and nothing else matters.
    pub(crate) fn give_up(&mut self) {
        self.is_judged = true;
    }

    /// Whether the image is, or was, another process than our child.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.inner.is_some()
    }

    /// Readable when an image ends that is not our child.
    pub(crate) fn handle(&self) -> Option<&OwnedFd> {
        self.inner.as_ref()?.handle.as_ref()
    }

    /// Which processes of the image have ended, each once; `claimant` is the process that has claimed the image.
    pub(crate) fn look(&mut self, claimant: Option<Pid>) -> Option<Ended> {
        if self.status.is_none() {
            self.status = self
                .child
                .try_wait()
                .expect("nobody else waits for our children");
        }
        if self.is_judged {
            return None;
        }
        let ours = Pid::from_child(&self.child);
        let mut has_inner_ended = false;
        if self.inner.is_none() {
            let claimant = claimant.filter(|&process| process != ours);
            self.inner = claimant.and_then(Inner::find);
            has_inner_ended = self
                .inner
                .as_ref()
                .is_some_and(|inner| inner.handle.is_none());
        }
        if let Some(inner) = &mut self.inner {
            has_inner_ended |= inner.has_just_ended();
        }
        match (self.status, self.handle()) {
            (Some(status), None) => {
                self.is_judged = true;
                Some(Ended::All(status))
            }
            // Our child failed, and with it the only way to learn how the image ends.
            (Some(status), Some(handle)) if !status.success() => {
                let _ = pidfd_send_signal(handle, Signal::KILL);
                None
            }
            _ => has_inner_ended.then_some(Ended::Inner),
        }
    }

    /// Sends `signal` to the image and to our child.
    fn send(&self, signal: Signal) {
        if let Some(handle) = self.handle() {
            let _ = pidfd_send_signal(handle, signal);
        }
        if self.status.is_none() {
            // It may have ended, but until it is reaped its number belongs to nobody else.
            let _ = kill_process(Pid::from_child(&self.child), signal);
        }
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

    /// Sends `signal` to the images alone: scripts that started them would die of it.
    pub(crate) fn warn(&self, signal: Signal) {
        for image in &self.0 {
            match image.handle() {
                Some(handle) => _ = pidfd_send_signal(handle, signal),
                None if !image.is_wrapped() => image.send(signal),
                None => {}
            }
        }
    }

    /// Whether any process still runs, as far as we have looked.
    pub(crate) fn any_lives(&self) -> bool {
        self.0.iter().any(ImageProcess::lives)
    }

    /// Whether that process is a child that we started for an image.
    pub(crate) fn has(&self, process: Pid) -> bool {
        let mut ours = self.0.iter().map(|image| Pid::from_child(&image.child));
        ours.any(|ours| ours == process)
    }

    /// Sends `signal` to all that run.
    pub(crate) fn send(&self, signal: Signal) {
        self.0.iter().for_each(|image| image.send(signal));
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
        for image in &mut self.0 {
            let _ = image.child.wait();
            let handle = image.handle();
            let handle = handle.filter(|handle| pidfd_send_signal(handle, Signal::KILL).is_ok());
            if let Some(handle) = handle {
                while poll(&mut [PollFd::new(handle, PollFlags::IN)], None) == Err(Errno::INTR) {}
            }
        }
    }
}
