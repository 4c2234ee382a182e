//! Allgathers: around a ring, by doubling distances, or up and down a tree.

use crate::Algorithm;
use crate::schedule::step::{Schedule, Then};
use crate::schedule::tree::Tree;

/// The schedule of an allgather of one block of each image: in the order of the positions in a tree, else in that of the images.
pub(crate) fn allgather(algorithm: Algorithm, tree: &Tree, me: usize) -> Schedule {
    match algorithm {
        Algorithm::Ring => ring(tree.images(), me),
        Algorithm::RecursiveDoubling => recursive_doubling(tree.images(), me),
        _ => up_and_down(tree, me),
    }
}

/// Blocks pass around a ring: every image receives only from the image before it, first that image's own block, then the blocks
/// that it has received (Thakur, Rabenseifner and Gropp 2005, section 4.1).
fn ring(images: usize, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    if images == 1 {
        return schedule;
    }
    let (before, after) = ((me + images - 1) % images, (me + 1) % images);
    schedule.pass(after, me..me + 1, 0);
    for round in 1..images {
        let owner = (me + images - round) % images;
        let is_last = round == images - 1;
        let then = if is_last {
            Then::Keep
        } else {
            Then::KeepAndForward(0)
        };
        schedule.receive(before, round, owner..owner + 1, 0, then);
        if !is_last {
            schedule.publish();
            schedule.send(after, owner..owner + 1, 0);
        }
    }
    schedule
}

/// Each round doubles the number of blocks that an image has, for any number of images (Bruck, Ho, Kipnis, Upfal and
/// Weathersby 1997).
///
/// When image `i` has the `n` blocks from its own on, it receives those that image `i + n` has. In the last round it receives only those
/// that it lacks. The blocks in its buffer begin with its own.
fn recursive_doubling(images: usize, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    schedule.stage(me..me + 1, 0);
    schedule.publish();
    let (mut round, mut blocks) = (1, 1);
    while blocks < images {
        let from = (me + blocks) % images;
        let more = blocks.min(images - blocks);
        schedule.send((me + images - blocks) % images, me..me + more, 0);
        let is_last = blocks + more == images;
        let then = if is_last {
            Then::Keep
        } else {
            Then::KeepAndForward(0)
        };
        schedule.receive(from, round, from..from + more, 0, then);
        if !is_last {
            schedule.publish();
        }
        blocks += more;
        round += 1;
    }
    schedule
}

const UP: usize = 0;
const DOWN: usize = 1;

/// Up a tree to image 0, then down again.
///
/// For the way up, every image publishes the blocks of its subtree as its first piece. For the way down, every image that has
/// children publishes all blocks as its second piece; for image 0 the first piece is all blocks.
fn up_and_down(tree: &Tree, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let node = tree.node_of(me);
    let all = 0..tree.images();
    let position = node.subtree.start;
    let region = if node.parent.is_some() { UP } else { DOWN };
    schedule.stage(position..position + 1, region);
    for child in &node.children {
        let then = match node.parent {
            None => Then::KeepAndForward(DOWN),
            Some(_) => Then::Forward(UP),
        };
        schedule.receive(tree.image(child.start), 1, child.clone(), UP, then);
    }
    schedule.publish();
    if let Some(parent) = node.parent {
        // For image 0 the first piece is all blocks.
        let pieces = if parent == 0 { 1 } else { 2 };
        let parent = tree.image(parent);
        schedule.send(parent, node.subtree.clone(), UP);
        if node.children.is_empty() {
            schedule.receive(parent, pieces, all, DOWN, Then::Keep);
            return schedule;
        }
        schedule.receive(
            parent,
            pieces,
            all.clone(),
            DOWN,
            Then::KeepAndForward(DOWN),
        );
        schedule.publish();
    }
    schedule.send_down(&node, tree, DOWN, |_| all.clone());
    schedule
}
