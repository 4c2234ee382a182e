//! The images gather up a tree and are let go down it (Mellor-Crummey and Scott 1991).
//!
//! A parent waits for each of its children, and looks at their cards. An image that has found all below it
//! says so to its parent, except for a leaf, whose card says it. So the first image, at the root, knows that
//! all do the same thing; it lets its children go, and they theirs, all with one write each.

use std::ops::Range;

use crate::lockfree::rendezvous::{Passage, Place, Refusal};

/// Passes the barrier in a tree in which an image has at most so many children.
pub(crate) fn meet<const CHILDREN: usize, P: Place>(
    passage: &Passage<P>,
) -> Result<(), Refusal<P::Stop>> {
    let Passage {
        me, images, number, ..
    } = *passage;
    let children = |image| -> Range<usize> {
        let first = CHILDREN * image + 1;
        first..(first + CHILDREN).min(images)
    };
    let is_leaf = |image| children(image).is_empty();
    for child in children(me) {
        let card = passage.card(child);
        let below = if is_leaf(child) {
            &card.signal
        } else {
            &passage.place.station(child).gathered.0
        };
        passage.wait(below, child)?;
        passage.compare(child, card)?;
    }
    let station = passage.place.station(me);
    if me > 0 {
        if !is_leaf(me) {
            station.gathered.0.raise_to(number);
        }
        let parent = (me - 1) / CHILDREN;
        passage.wait(&passage.place.station(parent).release.0, parent)?;
    }
    if !is_leaf(me) {
        station.release.0.raise_to(number);
    }
    Ok(())
}
