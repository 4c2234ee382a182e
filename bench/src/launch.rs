//! The time of a whole job that does nothing, as a row beside those of the operations.
//!
//! It is measured from outside, from the start of the launcher to its end. The bound is the same number of processes
//! that end at once; of a peer, its launcher with a program that initialises and finalises the library.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io};

use crate::options::Fabric;
use crate::runner::{self, Effort, Failure, watch};
use crate::task::{NOTHING, Task};

/// The row's name.
pub const NAME: &str = "launch";

/// A launch that takes longer has hung.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The nanoseconds of a job, measured from outside.
///
/// # Errors
/// If it fails.
pub fn own(images: usize, fabric: Fabric, effort: Effort) -> Result<f64, Failure> {
    let mut job = runner::job(Task::Launch, images, fabric, &[], effort).map_err(failure)?;
    watch(&mut job, PATIENCE, |_| ()).map(nanoseconds)
}

/// The nanoseconds of `processes` processes at the same time.
///
/// # Errors
/// If one of them cannot be started, or fails.
pub fn raw(processes: usize) -> Result<f64, Failure> {
    let start = Instant::now();
    let program = env::current_exe().map_err(failure)?;
    let spawn = |_| {
        Command::new(&program)
            .arg(NOTHING)
            .stdin(Stdio::null())
            .spawn()
    };
    let children: Vec<io::Result<Child>> = (0..processes).map(spawn).collect();
    for child in children {
        let status = child.and_then(|mut child| child.wait()).map_err(failure)?;
        if !status.success() {
            let complaint = String::new();
            return Err(Failure::Failed { status, complaint });
        }
    }
    Ok(nanoseconds(start.elapsed()))
}

/// The unit of samples.
pub fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

fn failure(source: io::Error) -> Failure {
    let program = "cobench".into();
    Failure::Run { program, source }
}
