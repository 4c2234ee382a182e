//! Asking a launcher that speaks PMI to end the job.

use std::env;
use std::os::fd::BorrowedFd;
use std::thread;
use std::time::Duration;

/// The variable that says where launchers that speak PMI listen to this process.
const PMI: &str = "PMI_FD";

/// How long such a launcher may take to end this process.
const KILLED_WITHIN: Duration = Duration::from_secs(2);

/// Asks the launcher to end the job, for a process whose engine hangs and cannot be asked. Returns if the launcher has not done it
/// or cannot be asked: then the exit code must tell it.
///
/// That of MPICH does not end the processes on other nodes for an exit code, and waits for those it has lost for ever. What
/// is said here are the words of `PMI_Abort`, version 1 of the protocol.
pub(crate) fn ask_to_abort(code: u8) {
    let listener = env::var(PMI).ok().and_then(|text| text.parse().ok());
    let Some(listener) = listener.filter(|&number| number > 2) else {
        return;
    };
    // SAFETY: the launcher has opened it for this process, and the engine keeps it open until it ends, which it does not
    // any more. The engine says nothing meanwhile, as it hangs elsewhere.
    let listener = unsafe { BorrowedFd::borrow_raw(listener) };
    if rustix::io::write(listener, format!("cmd=abort exitcode={code}\n").as_bytes()).is_ok() {
        thread::sleep(KILLED_WITHIN);
    }
}
