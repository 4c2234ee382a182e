//! Images that are in different collective operations never wait for each other: the job fails, and says
//! who is where.

mod algorithms;
mod alike;
mod interrupted;
mod kinds;
mod movement;
mod operators;
mod pairs;

use std::process::abort;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use coarray::{Failure, Launch};

/// Far longer than any of these jobs takes.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs images that are bound to fail, and returns the report. A job that hangs aborts the tests.
#[track_caller]
fn report(images: usize, case: &str, body: impl Fn() + Sync) -> String {
    match watched(images, case, body) {
        Ok(_) => panic!("{case}: nobody noticed"),
        Err(failure) => failure.to_string(),
    }
}

/// Runs images. A job that hangs aborts the tests.
fn watched(images: usize, case: &str, body: impl Fn() + Sync) -> Result<(), Failure> {
    let (done, waiting) = channel::<()>();
    let name = case.to_owned();
    thread::spawn(move || {
        if waiting.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{name}: the job hangs");
            abort();
        }
    });
    let outcome = Launch::new(images)
        .images_per_node(2)
        .heap(1 << 18)
        .run(body);
    drop(done);
    outcome.map(drop)
}

/// What a report says: two images, and for each the operation that it is in.
#[track_caller]
fn parse(report: &str) -> [(usize, &str); 2] {
    let Some([low, high]) = named(report) else {
        panic!("not the report of a mismatch: {report}")
    };
    let title = format!(
        "coarray: image {} and image {} are in different collective operations\n",
        low.0, high.0
    );
    let advice = "\nevery image must make the same collective calls in the same order";
    assert!(
        report.starts_with(&title) && report.ends_with(advice),
        "{report}"
    );
    assert!(low.0 < high.0, "{report}");
    [low, high]
}

fn named(report: &str) -> Option<[(usize, &str); 2]> {
    let mut lines = report.lines().skip(1).map(|line| {
        let (image, operation) = line.strip_prefix("  image ")?.split_once(": ")?;
        Some((image.parse().ok()?, operation))
    });
    Some([lines.next()??, lines.next()??])
}
