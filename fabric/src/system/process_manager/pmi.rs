//! Messages to a launcher that speaks PMI version 1, besides those of the MPI library.

use std::env;
use std::os::fd::BorrowedFd;
use std::thread;
use std::time::Duration;

use crate::system::drain_stdio::await_readers;

/// The variable that says where launchers that speak PMI listen to this process.
const PMI: &str = "PMI_FD";

/// A variable that other launchers set, which speak another version of PMI.
#[cfg(feature = "mpi")]
const OTHER_VERSION: &str = "PMI_JOBID";

/// How long such a launcher may take to end this process.
const KILLED_WITHIN: Duration = Duration::from_secs(2);

/// Asks the launcher to end the job, for a process whose fabric hangs and cannot be asked. Returns if the launcher has not done it
/// or cannot be asked: then the exit code must tell it.
///
/// That of MPICH does not end the processes on other nodes for an exit code, and waits for those it has lost for ever. What
/// is said here are the words of `PMI_Abort`, version 1 of the protocol.
pub fn ask_to_abort(code: u8) {
    let Some(listener) = listener() else {
        return;
    };
    await_readers();
    if rustix::io::write(listener, format!("cmd=abort exitcode={code}\n").as_bytes()).is_ok() {
        thread::sleep(KILLED_WITHIN);
    }
}

/// Tells the launcher that this process has done its part, in place of the fabric, which is not asked any more. False if the
/// launcher cannot be told.
///
/// These are the words of `PMI_Finalize`, version 1 of the protocol.
#[cfg(feature = "mpi")]
pub(crate) fn finish() -> bool {
    if env::var_os(OTHER_VERSION).is_some() {
        return false;
    }
    let Some(listener) = listener() else {
        return false;
    };
    if rustix::io::write(listener, b"cmd=finalize\n").is_err() {
        return false;
    }
    let mut answer = Vec::new();
    let mut next = [0];
    while answer.last() != Some(&b'\n') {
        match rustix::io::read(listener, &mut next) {
            Ok(1) => answer.push(next[0]),
            Err(rustix::io::Errno::INTR) => {}
            // The launcher is gone: there is nobody to wait for.
            _ => return true,
        }
    }
    answer.starts_with(b"cmd=finalize_ack")
}

/// Where the launcher listens to this process, while the fabric says nothing to it: it hangs elsewhere, or is done.
fn listener() -> Option<BorrowedFd<'static>> {
    let number = env::var(PMI).ok()?.parse().ok()?;
    // SAFETY: the launcher has opened it for this process, and the fabric keeps it open until it ends, which it does not
    // any more.
    (number > 2).then(|| unsafe { BorrowedFd::borrow_raw(number) })
}
