//! Reductions: up and down a tree, by doubling distances, or around a ring.

use crate::Algorithm;
use crate::schedule::step::{Schedule, Then};
use crate::schedule::tree::Tree;

/// How many regions an algorithm uses.
pub(crate) fn regions(algorithm: Algorithm, images: usize) -> usize {
    match algorithm {
        // One for each round, and one for an image without a number.
        Algorithm::RecursiveDoubling => images.ilog2() as usize + 1,
        // The values that go up the tree or around the ring, and the results.
        _ => 2,
    }
}

/// The schedule of a reduction for all images, or for `root`: of one block, or of a slice for each image by [`Algorithm::Ring`].
pub(crate) fn reduce(
    algorithm: Algorithm,
    tree: &Tree,
    me: usize,
    root: Option<usize>,
) -> Schedule {
    match (algorithm, root) {
        (Algorithm::RecursiveDoubling, _) => recursive_doubling(tree.images(), me),
        (Algorithm::Ring, _) => ring(tree.images(), me),
        (_, None) => up_and_down(tree, me),
        (_, Some(root)) => up_and_over(tree, me, root),
    }
}

const UP: usize = 0;
const DOWN: usize = 1;

/// Up a tree to image 0, then down again. Subtrees are ranges of images, so the values are combined in the order of the images.
fn up_and_down(tree: &Tree, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let node = tree.node_of(me);
    for child in &node.children {
        schedule.receive(child.start, 1, 0..1, UP, Then::Append);
    }
    if let Some(parent) = node.parent {
        schedule.pass(parent, 0..1, UP);
        // Image 0 publishes only the results; other parents first publish the piece that they send up.
        let pieces = if parent == 0 { 1 } else { 2 };
        schedule.receive(parent, pieces, 0..1, DOWN, Then::Keep);
    }
    if !node.children.is_empty() {
        schedule.stage(0..1, DOWN);
        schedule.publish();
        schedule.send_down(&node, tree, DOWN, |_| 0..1);
    }
    schedule
}

/// Up a tree to image 0, and straight to the image that gets the results.
fn up_and_over(tree: &Tree, me: usize, root: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let node = tree.node_of(me);
    for child in &node.children {
        schedule.receive(child.start, 1, 0..1, UP, Then::Append);
    }
    if me == 0 && root == 0 {
        return schedule;
    }
    schedule.pass(node.parent.unwrap_or(root), 0..1, UP);
    if me == root {
        schedule.receive(0, 1, 0..1, UP, Then::Keep);
    }
    schedule
}

/// In each round partners exchange the values that they have combined so far, so that after it twice as many images have the
/// same values (Thakur, Rabenseifner and Gropp 2005, section 4).
///
/// The partners of round `k` differ in bit `k` of their numbers, so the number of participants must be a power of two. If there
/// are `e` images more than that, every second one of the first `2 e` images gives its values to the image before it, and gets
/// the results from there. Each participant stands for consecutive images, and each round combines two adjacent runs of them,
/// so the order of the images is kept.
fn recursive_doubling(images: usize, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let rounds = images.ilog2() as usize;
    let extra = images - (1 << rounds);
    let image_of = |number: usize| {
        if number < extra {
            2 * number
        } else {
            number + extra
        }
    };
    if me < 2 * extra && me % 2 == 1 {
        schedule.pass(me - 1, 0..1, 0);
        schedule.receive(me - 1, rounds + 1, 0..1, rounds, Then::Keep);
        return schedule;
    }
    let number = if me < 2 * extra { me / 2 } else { me - extra };
    if number < extra {
        schedule.receive(me + 1, 1, 0..1, 0, Then::Append);
    }
    for round in 0..rounds {
        let partner = number ^ (1 << round);
        schedule.pass(image_of(partner), 0..1, round);
        let then = if partner > number {
            Then::Append
        } else {
            Then::Prepend
        };
        schedule.receive(image_of(partner), round + 1, 0..1, round, then);
    }
    if number < extra {
        schedule.pass(me + 1, 0..1, rounds);
    }
    schedule
}

/// Slices go around a ring twice. First each image combines the slice that it passes on with its own values, so that in the end
/// each image has the results of one slice; then the results pass around (Patarasuk and Yuan 2009).
///
/// Each image receives only from the image before it, about twice the length of the values for any number of images. Each slice
/// begins at a different image, so the order of the images is rotated.
fn ring(images: usize, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let (before, after) = ((me + images - 1) % images, (me + 1) % images);
    let slice = |number: usize| {
        let number = number % images;
        number..number + 1
    };
    let further = images - 1;
    for round in 1..images {
        schedule.pass(after, slice(me + images + 1 - round), UP);
        schedule.receive(before, round, slice(me + images - round), UP, Then::Prepend);
    }
    for round in 1..images {
        schedule.pass(after, slice(me + images + 2 - round), DOWN);
        let next = slice(me + images + 1 - round);
        schedule.receive(before, further + round, next, DOWN, Then::Keep);
    }
    schedule
}
