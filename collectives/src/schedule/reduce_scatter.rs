//! Reduce-scatters: around a ring, or up a tree and down again.

use std::ops::Range;

use crate::Algorithm;
use crate::schedule::step::{Schedule, Then};
use crate::schedule::tree::Tree;

/// The schedule of a reduce-scatter of one block for each image.
pub(crate) fn reduce_scatter(algorithm: Algorithm, tree: &Tree, me: usize) -> Schedule {
    match algorithm {
        Algorithm::Ring => ring(tree.images(), me),
        _ => up_and_down(tree, me),
    }
}

/// Each block passes around a ring once, and every image combines it with its own values: the first of the two passes of
/// Patarasuk and Yuan 2009.
///
/// The block of an image starts at the image after it and ends at the image itself. So the order of the images is rotated, and
/// the operation must be commutative.
fn ring(images: usize, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let (before, after) = ((me + images - 1) % images, (me + 1) % images);
    let block = |number: usize| {
        let number = number % images;
        number..number + 1
    };
    for round in 1..images {
        schedule.pass(after, block(me + images - round), 0);
        let next = block(before + images - round);
        schedule.receive(before, round, next, 0, Then::Prepend);
    }
    schedule
}

const UP: usize = 0;
const DOWN: usize = 1;

/// Up a tree to image 0, which gets all results; then every image receives the results of its subtree from its parent.
fn up_and_down(tree: &Tree, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let all = 0..tree.images();
    let node = tree.node_of(me);
    for child in &node.children {
        schedule.receive(child.start, 1, all.clone(), UP, Then::Append);
    }
    match node.parent {
        None => schedule.stage(all, DOWN),
        Some(parent) => {
            schedule.pass(parent, all, UP);
            // Image 0 publishes only the results; other parents first publish the piece that they send up.
            let pieces = if parent == 0 { 1 } else { 2 };
            let results = node.subtree.clone();
            if node.children.is_empty() {
                schedule.receive(parent, pieces, results, DOWN, Then::Keep);
                return schedule;
            }
            schedule.receive(parent, pieces, results, DOWN, Then::KeepAndForward(DOWN));
        }
    }
    schedule.publish();
    schedule.send_down(&node, tree, DOWN, Range::clone);
    schedule
}
