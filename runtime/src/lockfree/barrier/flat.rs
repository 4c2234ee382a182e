//! Everyone looks at everyone's card.
//!
//! The latency is that of one card on its way from core to core, since all are on the way at once. Where images
//! share cores, one that finds somebody missing lets another run, and when it runs again all the others have
//! come by: one change of images for each image and barrier. All wait for the missing image with the highest number
//! first, so that those who sleep are woken together by an image that comes late, and not one by one by their
//! neighbours, only to find the next one missing.

use crate::lockfree::card::{Card, Tag};
use crate::lockfree::rendezvous::{Passage, Place, Refusal};
use crate::primitives::pause;

/// Passes the barrier.
#[inline]
pub(crate) fn meet<P: Place>(passage: &Passage<P>) -> Result<(), Refusal<P::Stop>> {
    for image in (0..passage.images).rev() {
        if image == passage.me {
            continue;
        }
        let card = passage.card(image);
        passage.wait(&card.signal, image)?;
        passage.compare(image, card)?;
    }
    Ok(())
}

/// Whether the image with this card comes while this one spins, and agrees: the short way through the barrier, on
/// which nothing is made that only a longer wait needs. If not, [`meet`] is to find out more.
#[inline]
pub(crate) fn comes_soon(card: &Card, number: u64, tag: &Tag, spins: u32) -> bool {
    for _ in 0..spins {
        if card.has_entered(number) {
            return card.agrees(tag);
        }
        pause();
    }
    false
}
