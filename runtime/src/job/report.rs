//! The report of a job that failed, which one process prints, once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::job::control::Failure;

/// Exit code of a job that cannot begin because something it was told is wrong.
pub const USAGE: u8 = 2;

/// The exit code of Rust programs that panic: where panics abort, that of SIGABRT.
pub(crate) const PANIC_CODE: u8 = if cfg!(panic = "abort") { 134 } else { 101 };

/// How long images are given to end by themselves once one has failed.
pub const GRACE: Duration = Duration::from_millis(300);

/// Whether the caller is the first that is about to end this process with a report: nobody else is to report then.
pub(crate) fn begins_report() -> bool {
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    !HAS_BEGUN.swap(true, Ordering::Relaxed)
}

/// Prints why the job failed.
pub fn report(failure: &Failure) {
    eprintln!("{failure}");
}
