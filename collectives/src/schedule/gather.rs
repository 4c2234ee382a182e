//! Gathers: up a tree.

use std::ops::Range;

use crate::schedule::step::{Schedule, Then};
use crate::schedule::tree::Tree;

/// The schedule of a gather: every image publishes its own block and, behind it, the blocks that it receives from
/// its children. A binomial tree has the fewest steps (Thakur, Rabenseifner and Gropp 2005, section 3).
///
/// The blocks are in the order of the positions. Only those of subtrees pass that `have_elements`.
pub(crate) fn gather(
    tree: &Tree,
    me: usize,
    have_elements: impl Fn(&Range<usize>) -> bool,
) -> Schedule {
    let mut schedule = Schedule::new();
    let node = tree.node_of(me);
    let Some(parent) = node.parent else {
        for child in node.children.iter().filter(|child| have_elements(child)) {
            schedule.receive(tree.image(child.start), 1, child.clone(), 0, Then::Keep);
        }
        return schedule;
    };
    if !have_elements(&node.subtree) {
        return schedule;
    }
    let position = node.subtree.start;
    schedule.stage(position..position + 1, 0);
    for child in node.children.iter().filter(|child| have_elements(child)) {
        schedule.receive(
            tree.image(child.start),
            1,
            child.clone(),
            0,
            Then::Forward(0),
        );
    }
    schedule.publish();
    schedule.send(tree.image(parent), node.subtree.clone(), 0);
    schedule
}
