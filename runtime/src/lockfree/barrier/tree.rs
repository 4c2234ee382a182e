//! The tree barrier (Mellor-Crummey and Scott 1991): images gather up a tree and are released down it.
//!
//! A parent waits for each of its children, and reads their arrivals. An image that has found its whole subtree
//! agreeing signals its parent; the arrival of a leaf is its signal. So the root knows that all agree. It releases its
//! children, and they theirs, each with one write.

use std::ops::Range;

use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, Episode};

/// Passes the barrier in a tree in which an image has at most `CHILDREN` children.
pub(crate) fn pass<const CHILDREN: usize, P: BarrierScope>(
    episode: &Episode<P>,
) -> Result<(), BarrierError<P::Stop>> {
    let Episode {
        me, images, number, ..
    } = *episode;
    let children = |image| -> Range<usize> {
        let first = CHILDREN * image + 1;
        first..(first + CHILDREN).min(images)
    };
    let is_leaf = |image| children(image).is_empty();
    for child in children(me) {
        let arrival = episode.arrival(child);
        let below = if is_leaf(child) {
            &arrival.signal
        } else {
            &episode.scope.state(child).gathered.0
        };
        episode.wait(below, child)?;
        episode.compare(child, arrival)?;
    }
    let state = episode.scope.state(me);
    if me > 0 {
        if !is_leaf(me) {
            state.gathered.0.advance_to(number);
        }
        let parent = (me - 1) / CHILDREN;
        episode.wait(&episode.scope.state(parent).release.0, parent)?;
    }
    if !is_leaf(me) {
        state.release.0.advance_to(number);
    }
    Ok(())
}
