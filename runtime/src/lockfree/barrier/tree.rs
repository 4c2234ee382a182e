//! The images gather up a tree and are let go down it (Mellor-Crummey and Scott 1991).
//!
//! A parent waits for each of its children, and looks at their arrivals. An image that has found all below it
//! says so to its parent, except for a leaf, whose arrival says it. So the first image, at the root, knows that
//! all do the same thing; it lets its children go, and they theirs, all with one write each.

use std::ops::Range;

use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, Episode};

/// Passes the barrier in a tree in which an image has at most so many children.
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
