//! Programs that do nothing but compute.

use std::ffi::OsString;
use std::hint::spin_loop;
use std::io;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

use crate::task::LOOP;

/// Processes that compute until this is dropped.
#[derive(Debug)]
pub struct Loops(Vec<Child>);

impl Loops {
    /// Starts them.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn start(count: usize) -> io::Result<Self> {
        let mut loops = Self(Vec::new());
        let program = std::env::current_exe()?;
        for _ in 0..count {
            let child = Command::new(&program)
                .args([LOOP.to_owned(), std::process::id().to_string()])
                .stdin(Stdio::null())
                .spawn()?;
            loops.0.push(child);
        }
        Ok(loops)
    }

    /// Ends them.
    pub fn end(self) {}
}

impl Drop for Loops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // If it was killed already, there is nothing to do.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Computes until the process that started this one, which has the number `parent`, ends or kills it.
///
/// # Errors
/// If there is no such number, or the system refuses to signal the end of that process.
pub fn compute(parent: Option<OsString>) -> io::Result<()> {
    let parent = parent.and_then(|parent| parent.to_str()?.parse().ok());
    let parent: i32 = parent.ok_or(io::ErrorKind::InvalidInput)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have ended before that.
    if getppid().map(Pid::as_raw_pid) != Some(parent) {
        return Ok(());
    }
    loop {
        spin_loop();
    }
}
