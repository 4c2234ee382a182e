//! The report of a failed job, which one process prints once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::job::control::Failure;

/// Exit code of a job that cannot begin because of a wrong setting.
pub const USAGE: u8 = 2;

/// The exit code of Rust programs that panic; with `panic = "abort"`, that of SIGABRT.
pub(crate) const PANIC_CODE: u8 = if cfg!(panic = "abort") { 134 } else { 101 };

/// The time that images have to end by themselves once one has failed.
pub const GRACE: Duration = Duration::from_millis(300);

/// Whether the caller is the first to end this process with a report. Others then do not report.
pub(crate) fn begins_report() -> bool {
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    !HAS_BEGUN.swap(true, Ordering::Relaxed)
}

/// Prints why the job failed.
pub fn report(failure: &Failure) {
    tell(&failure.to_string());
}

/// Prints a report; nothing of one without words.
pub(crate) fn tell(report: &str) {
    if !report.is_empty() {
        // In one piece: other images may report too.
        let line = format!("{report}\n");
        eprint!("{line}");
    }
}
