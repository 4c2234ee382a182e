//! The images are counted, and the last one lets all go (the centralised barrier of Mellor-Crummey and
//! Scott 1991, with the number of the barrier for its sense).
//!
//! The last one looks at all arrivals first. When an image has failed the count may be wrong from then on, since those
//! who know of the failure do not come here any more: one who is taken for the last then finds somebody
//! missing, lets nobody go, and waits with the others until they all have learnt of the failure.

use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, Episode};
use crate::primitives::Ordering;

/// Passes the barrier.
pub(crate) fn pass<P: BarrierScope>(episode: &Episode<P>) -> Result<(), BarrierError<P::Stop>> {
    let Episode {
        me, images, number, ..
    } = *episode;
    let state = episode.scope.state(0);
    // Whoever comes last sees the arrivals of all who were counted before.
    let before = state.arrived.0.fetch_add(1, Ordering::AcqRel);
    if before + 1 == images as u64 && episode.compare_all()? == images {
        // Nobody is counted again before the release.
        state.arrived.0.store(0, Ordering::Relaxed);
        state.release.0.advance_to(number);
        return Ok(());
    }
    episode.wait(&state.release.0, (me + 1) % images)
}
