//! Signals as something to read, so that the supervisor takes them one at a time between its other
//! work instead of in handlers.

use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;

use rustix::process::Signal;

/// What ends a job from outside: a terminal that is gone, keys that were pressed, a batch system, a limit of time.
const REQUESTS: [Signal; 5] = [
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::TERM,
    Signal::XCPU,
];

/// What batch systems send a while before, for programs that have a use for it.
const WARNINGS: [Signal; 2] = [Signal::USR1, Signal::USR2];

/// Keeps the signals a supervisor answers from interrupting it. Dropping this brings back the
/// signal mask as it was.
#[derive(Debug)]
pub(crate) struct Signals {
    queue: OwnedFd,
    original: libc::sigset_t,
}

/// A signal that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) signal: Signal,
    /// A key was pressed: then all processes of the terminal's foreground group, the images among
    /// them, got the same signal.
    pub(crate) by_key: bool,
}

impl Received {
    /// Whether it is for the images, and nothing else.
    pub(crate) fn is_warning(self) -> bool {
        WARNINGS.contains(&self.signal)
    }
}

impl Signals {
    /// Blocks SIGCHLD, the requests to end and what is for the images in this thread, and queues them for
    /// [`next`](Self::next).
    ///
    /// A request this process was told to ignore (by `nohup`, or by a shell that started it in the
    /// background) stays ignored.
    pub(crate) fn block() -> io::Result<Self> {
        if is_ignored(Signal::CHILD) {
            // Whoever started us left it so. The kernel would reap images behind our back, and how
            // they ended would be lost. SAFETY: installs the default disposition, no handler.
            unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
        }
        let requests = REQUESTS.into_iter().chain(WARNINGS);
        let requests = requests.filter(|&signal| !is_ignored(signal));
        let heard = set_of(requests.chain([Signal::CHILD]));

        // SAFETY: `heard` is an initialised set; -1 asks for a new file descriptor.
        let queue = unsafe { libc::signalfd(-1, &heard, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if queue == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just given us this descriptor, so nobody else owns it.
        let queue = unsafe { OwnedFd::from_raw_fd(queue) };
        Ok(Self {
            queue,
            original: set_mask(libc::SIG_BLOCK, &heard)?,
        })
    }

    /// Lets `command` start with the signal mask this process had: a mask is inherited, and a
    /// program does not expect to start with blocked signals.
    pub(crate) fn restore_in(&self, command: &mut Command) {
        let original = self.original;
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe functions
        // may be called; pthread_sigmask is one, and the closure neither allocates nor locks.
        unsafe { command.pre_exec(move || set_mask(libc::SIG_SETMASK, &original).map(drop)) };
    }

    /// The next signal, if one has arrived.
    pub(crate) fn next(&self) -> Option<Received> {
        let mut record = [0; size_of::<libc::signalfd_siginfo>()];
        // The kernel hands out whole records, so anything shorter means that there is none.
        let length = rustix::io::read(&self.queue, &mut record).ok()?;
        (length == record.len()).then_some(())?;
        let field = |offset: usize| {
            let bytes = record[offset..]
                .first_chunk()
                .expect("a record holds its fields");
            i32::from_ne_bytes(*bytes)
        };
        let signal = Signal::from_named_raw(field(offset_of!(libc::signalfd_siginfo, ssi_signo)))?;
        let by_kernel = field(offset_of!(libc::signalfd_siginfo, ssi_code)) == libc::SI_KERNEL;
        // The kernel sends SIGHUP too, when a terminal is gone, but that to the session's leader
        // alone.
        let by_key = by_kernel && [Signal::INT, Signal::QUIT].contains(&signal);
        Some(Received { signal, by_key })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // It was the mask before, so it is a valid one now.
        let _ = set_mask(libc::SIG_SETMASK, &self.original);
    }
}

/// Keeps all signals that can be blocked from this thread.
pub(crate) fn block_all() -> io::Result<()> {
    let mut all = MaybeUninit::uninit();
    // SAFETY: sigfillset only writes, and initialises the whole set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: initialised by the call above.
    let all = unsafe { all.assume_init() };
    set_mask(libc::SIG_BLOCK, &all).map(drop)
}

fn set_of(signals: impl Iterator<Item = Signal>) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset only writes, and initialises the whole set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: initialised by the call above.
    let mut set = unsafe { set.assume_init() };
    for signal in signals {
        // SAFETY: `set` is an initialised set, and the number is that of an existing signal.
        unsafe { libc::sigaddset(&mut set, signal.as_raw()) };
    }
    set
}

/// Changes this thread's mask and returns what it was. Async-signal-safe.
fn set_mask(how: i32, set: &libc::sigset_t) -> io::Result<libc::sigset_t> {
    let mut before = MaybeUninit::uninit();
    // SAFETY: `set` is an initialised set, and `before` is room for another.
    let error = unsafe { libc::pthread_sigmask(how, set, before.as_mut_ptr()) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: the successful call wrote it.
    Ok(unsafe { before.assume_init() })
}

fn is_ignored(signal: Signal) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: a null new action asks only for the present one, for which `action` is room.
    if unsafe { libc::sigaction(signal.as_raw(), ptr::null(), action.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: the successful call wrote it.
    unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_is_read_once_and_in_order() {
        // What a shell starts in the background ignores SIGINT, and so would this if the tests are started so.
        for signal in [libc::SIGINT, libc::SIGTERM] {
            // SAFETY: installs the default disposition, no handler.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        let signals = Signals::block().unwrap();
        assert_eq!(signals.next(), None);
        for signal in [Signal::TERM, Signal::INT] {
            // SAFETY: sends a signal that is blocked, to this thread alone.
            unsafe { libc::pthread_kill(libc::pthread_self(), signal.as_raw()) };
        }
        let arrival = |signal| {
            Some(Received {
                signal,
                by_key: false,
            })
        };
        assert_eq!(signals.next(), arrival(Signal::INT));
        assert_eq!(signals.next(), arrival(Signal::TERM));
        assert_eq!(signals.next(), None);
    }
}
