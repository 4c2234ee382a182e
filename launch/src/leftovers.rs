//! Processes that images have started and left behind, which would outlive the job.

use std::io;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};

use crate::ancestry;
use crate::children::Children;

/// How long such processes may go on after the images have ended: some write down what an image printed.
const GRACE: Duration = Duration::from_millis(500);

/// The interval of checking.
const LOOK: Duration = Duration::from_millis(50);

/// Makes this process the subreaper: the parent of descendants whose own parent has ended.
#[derive(Debug)]
pub(crate) struct Leftovers {
    /// Children of this process that do not belong to the job.
    before: Vec<Pid>,
    /// When the images were found to have ended.
    since: Option<Instant>,
}

impl Leftovers {
    /// To be called before the images are started.
    pub(crate) fn adopt() -> io::Result<Self> {
        let before = if has_children() {
            ancestry::children(getpid())
        } else {
            Vec::new()
        };
        set_child_subreaper(Some(getpid()))?;
        Ok(Self {
            before,
            since: None,
        })
    }

    /// Reaps processes that nothing else waits for.
    pub(crate) fn reap(&self, children: &Children) {
        while let Ok(Some(process)) = ended_child()
            && !children.has(process)
            && !self.before.contains(&process)
        {
            let _ = waitpid(Some(process), WaitOptions::NOHANG);
        }
    }

    /// Whether no process is left, or none that could be ended, once the images have ended. To be asked until it is so;
    /// what stays is killed, at once if that is `urgent`.
    pub(crate) fn are_gone(&mut self, urgent: bool) -> bool {
        if !has_children() {
            return true;
        }
        let mut left = ancestry::children(getpid());
        left.retain(|process| !self.before.contains(process));
        let age = self.since.get_or_insert_with(Instant::now).elapsed();
        if left.is_empty() || age > 2 * GRACE {
            return true;
        }
        if urgent || age > GRACE {
            for process in left {
                // It may have ended, but until it is reaped its number belongs to nobody else.
                let _ = kill_process(process, Signal::KILL);
            }
        }
        false
    }

    /// When to ask again even if nothing happens.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.since.map(|_| Instant::now() + LOOK)
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        // Setting it succeeded, so that clearing it does.
        let _ = set_child_subreaper(None);
    }
}

/// Whether this process has any children, ended ones included.
fn has_children() -> bool {
    ended_child().is_ok()
}

/// A child that has ended, and remains to be reaped; an error if there are no children.
fn ended_child() -> io::Result<Option<Pid>> {
    let mut record = MaybeUninit::<libc::siginfo_t>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `record` is room for what the call writes; it waits for nothing.
    if unsafe { libc::waitid(libc::P_ALL, 0, record.as_mut_ptr(), options) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all-zero bytes are a valid record, which the call has left as it was or filled in; a record of
    // `waitid` has the number of a process, and one of zeros has 0 there.
    let process = unsafe { record.assume_init_ref().si_pid() };
    Ok(Pid::from_raw(process))
}
