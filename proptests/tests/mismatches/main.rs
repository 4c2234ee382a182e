//! Images that are in different collective operations never wait for each other: the job fails, and says
//! who is where.

mod absent;
mod algorithms;
mod alike;
mod grids;
mod interrupted;
mod kinds;
mod many_nodes;
mod movement;
mod operators;
mod pairs;
mod posts;

use std::process::abort;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use coarray::Launch;
use coarray::failure::Failure;

/// Far longer than any of these jobs takes.
const LIMIT: Duration = Duration::from_secs(60);

/// How many images there are, and on how many nodes that share no memory.
#[derive(Clone, Copy, Debug)]
struct Images {
    count: usize,
    nodes: usize,
}

impl From<usize> for Images {
    /// On one machine.
    fn from(count: usize) -> Self {
        Self { count, nodes: 1 }
    }
}

/// So many images on one machine, on two nodes, and each on a node of its own.
fn divisions(count: usize) -> Vec<Images> {
    let mut nodes = vec![1, 2.min(count), count];
    nodes.dedup();
    let on = |nodes| Images { count, nodes };
    nodes.into_iter().map(on).collect()
}

/// Runs images that are bound to fail, and returns the report. A job that hangs aborts the tests.
#[track_caller]
fn report(images: impl Into<Images>, case: &str, body: impl Fn() + Sync) -> String {
    match watched(images, case, body) {
        Ok(_) => panic!("{case}: nobody noticed"),
        Err(failure) => failure.to_string(),
    }
}

/// Runs images. A job that hangs aborts the tests.
fn watched(images: impl Into<Images>, case: &str, body: impl Fn() + Sync) -> Result<(), Failure> {
    let (done, waiting) = channel::<()>();
    let images: Images = images.into();
    let name = format!("{case}, {images:?}");
    thread::spawn(move || {
        if waiting.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{name}: the job hangs");
            abort();
        }
    });
    let outcome = Launch::new(images.count)
        .images_per_node(2)
        .simulated_nodes(images.nodes)
        .heap(1 << 21)
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
