//! Broadcasts: down a tree, or as slices that are scattered and pass around.

use crate::Algorithm;
use crate::schedule::step::{Schedule, Then};
use crate::schedule::tree::Tree;

/// The schedule of a broadcast: of one block, or of a slice for each image by [`Algorithm::ScatterAllgather`].
///
/// The root of the tree is that of the broadcast.
pub(crate) fn broadcast(algorithm: Algorithm, tree: &Tree, me: usize) -> Schedule {
    match algorithm {
        Algorithm::ScatterAllgather => scatter_allgather(tree, me),
        _ => down(tree, me),
    }
}

/// Every image receives the values from its parent.
fn down(tree: &Tree, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let node = tree.node_of(me);
    if let Some(parent) = node.parent {
        schedule.receive(tree.image(parent), 1, 0..1, 0, Then::Keep);
    }
    if !node.children.is_empty() {
        schedule.stage(0..1, 0);
        schedule.publish();
        schedule.send_down(&node, tree, 0, |_| 0..1);
    }
    schedule
}

/// The root scatters its values in slices, one for each image, and then the slices pass around a ring. Every image sends about as many
/// bytes as it receives.
///
/// Positions count from the root. Position `p` first receives slice `p` from the root, and in round `r` slice `p - r` from position
/// `p - 1`. The root has all slices from the beginning and receives none; position 1 receives from it in every round.
fn scatter_allgather(tree: &Tree, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let (position, images) = (tree.position(me), tree.images());
    let slice = |number: usize| {
        let number = number % images;
        number..number + 1
    };
    if position == 0 {
        schedule.stage(0..images, 0);
        schedule.publish();
        for position in 1..images {
            schedule.send(tree.image(position), slice(position), 0);
        }
        for round in 1..images {
            schedule.send(tree.image(1), slice(1 + images - round), 0);
        }
        return schedule;
    }
    let (root, before) = (tree.image(0), tree.image(position - 1));
    schedule.receive(root, 1, slice(position), 0, Then::Keep);
    for round in 1..images {
        if position < images - 1 {
            let after = tree.image(position + 1);
            schedule.pass(after, slice(position + images + 1 - round), 0);
        }
        // The root publishes all slices as one piece.
        let pieces = if before == root { 1 } else { round };
        schedule.receive(
            before,
            pieces,
            slice(position + images - round),
            0,
            Then::Keep,
        );
    }
    schedule
}
