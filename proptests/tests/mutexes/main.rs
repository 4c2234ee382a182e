//! What comutexes and critical sections promise: one image at a time, all of them in turn, and an answer to
//! every mistake.

mod counters;
mod critical;
mod mistakes;
mod poison;
mod turns;

use coarray::Launch;
use coarray::failure::Failure;

/// Runs images that share memory, then some that are on two nodes, then each on a node of its own.
#[track_caller]
fn run(images: usize, body: impl Fn() + Sync) {
    for nodes in divisions(images) {
        if let Err(failure) = launch(images, nodes).run(&body) {
            panic!("{images} images on {nodes} nodes: {failure}");
        }
    }
}

/// Runs such images, all of which are to end with a failure.
#[track_caller]
fn failures(images: usize, body: impl Fn() + Sync) -> Vec<Failure> {
    let outcome = |nodes| launch(images, nodes).run(&body);
    divisions(images)
        .into_iter()
        .map(|nodes| outcome(nodes).expect_err("nobody noticed"))
        .collect()
}

fn divisions(images: usize) -> Vec<usize> {
    let mut nodes = vec![1, 2.min(images), images];
    nodes.dedup();
    nodes
}

fn launch(images: usize, nodes: usize) -> Launch {
    Launch::new(images).simulated_nodes(nodes).heap(1 << 20)
}
