//! Scatters: down a tree.

use std::ops::Range;

use crate::schedule::step::{Schedule, Then};
use crate::schedule::tree::Tree;

/// The schedule of a scatter: every image receives the blocks of its subtree from its parent, and publishes them
/// for its children (Thakur, Rabenseifner and Gropp 2005, section 3).
///
/// The blocks are in the order of the positions. Only those of subtrees pass that `have_elements`.
pub(crate) fn scatter(
    tree: &Tree,
    me: usize,
    have_elements: impl Fn(&Range<usize>) -> bool,
) -> Schedule {
    let mut schedule = Schedule::new();
    let mut node = tree.node_of(me);
    if !have_elements(&node.subtree) {
        return schedule;
    }
    node.children.retain(|child| have_elements(child));
    match node.parent {
        None => schedule.stage(1..node.subtree.end, 0),
        Some(parent) => {
            let then = if node.children.is_empty() {
                Then::Keep
            } else {
                Then::KeepAndForward(0)
            };
            schedule.receive(tree.image(parent), 1, node.subtree.clone(), 0, then);
            if node.children.is_empty() {
                return schedule;
            }
        }
    }
    schedule.publish();
    schedule.send_down(&node, tree, 0, Range::clone);
    schedule
}
