//! Asynchronous collectives give every image what the sequential model says, in whatever order they are waited for,
//! and however far ahead an image is.

mod mixed;
mod reports;
mod ways;

use std::process::abort;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use coarray::{Failure, Launch};

/// Far longer than any of these jobs takes.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs images. A job that hangs aborts the tests.
fn watched(launch: Launch, case: &str, body: impl Fn() + Sync) -> Result<(), Failure> {
    let (done, waiting) = channel::<()>();
    let name = case.to_owned();
    thread::spawn(move || {
        if waiting.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{name}: the job hangs");
            abort();
        }
    });
    let outcome = launch.run(body);
    drop(done);
    outcome.map(drop)
}

/// Runs images that are to succeed.
#[track_caller]
fn run(images: usize, body: impl Fn() + Sync) {
    if let Err(failure) = watched(Launch::new(images).heap(1 << 22), "a job", body) {
        panic!("{images} images: {failure}");
    }
}
