//! Asynchronous collectives give every image what the sequential model says, in whatever order they are waited for,
//! and however far ahead an image is.

mod apart;
mod failed;
mod mixed;
mod reports;
mod shared;
mod ways;

use std::process::abort;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use coarray::Launch;
use coarray::failure::Failure;

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

/// Runs images that are to succeed: on one node, and on several that share no memory.
#[track_caller]
fn run(images: usize, body: impl Fn() + Sync) {
    for nodes in 1..=images.min(3) {
        run_on(nodes, images, &body);
    }
}

/// Runs images that are to succeed, on so many nodes.
#[track_caller]
fn run_on(nodes: usize, images: usize, body: impl Fn() + Sync) {
    let launch = Launch::new(images).heap(1 << 22).simulated_nodes(nodes);
    if let Err(failure) = watched(launch, "a job", body) {
        panic!("{images} images on {nodes} nodes: {failure}");
    }
}
