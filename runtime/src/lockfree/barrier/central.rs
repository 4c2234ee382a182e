//! The centralised barrier (Mellor-Crummey and Scott 1991): images are counted, and the last one releases all. The
//! number of the barrier is its sense.
//!
//! The last image first reads all arrivals. After a failure the count may be wrong, because images that know of the
//! failure do not enter this barrier any more: an image that takes itself for the last then finds an arrival missing,
//! releases no image, and waits with the others until all have learnt of the failure.

use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, Episode};
use crate::primitives::Ordering;

/// Passes the barrier.
pub(crate) fn pass<P: BarrierScope>(episode: &Episode<P>) -> Result<(), BarrierError<P::Stop>> {
    let Episode {
        me, images, number, ..
    } = *episode;
    let state = episode.scope.state(0);
    // Acquire pairs with the Release of all that were counted before: the last image sees their arrivals.
    let before = state.arrived.0.fetch_add(1, Ordering::AcqRel);
    if before + 1 == images as u64 && episode.compare_all()? == images {
        // Relaxed: no image is counted again before the release, which publishes it.
        state.arrived.0.store(0, Ordering::Relaxed);
        state.release.0.advance_to(number);
        return Ok(());
    }
    episode.wait(&state.release.0, (me + 1) % images)
}
