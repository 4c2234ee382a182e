//! The flat barrier: every image reads the arrivals of all others.
//!
//! The latency is that of one cache line between cores, because all lines travel at once. Where images share cores, an
//! image that finds another missing yields, and when it runs again all others have run: one context switch for each
//! image and barrier. All images first wait for the missing image with the highest number, so a late image wakes all
//! sleepers together, rather than each its neighbour, which finds the next one missing.

use crate::lockfree::arrival::{Arrival, Signature};
use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, Episode};
use crate::primitives::pause;

/// Passes the barrier.
#[inline]
pub(crate) fn pass<P: BarrierScope>(episode: &Episode<P>) -> Result<(), BarrierError<P::Stop>> {
    for image in (0..episode.images).rev() {
        if image == episode.me {
            continue;
        }
        let arrival = episode.arrival(image);
        episode.wait(&arrival.signal, image)?;
        episode.compare(image, arrival)?;
    }
    Ok(())
}

/// Whether the image with this arrival enters while this one spins, and agrees: the fast path, without anything that
/// only a longer wait needs. If not, [`pass`] finds out more. `fetch` is called each time it looks in vain.
#[inline]
pub(crate) fn spin_for(
    arrival: &Arrival,
    number: u64,
    signature: &Signature,
    spins: u32,
    fetch: impl Fn(),
) -> bool {
    for _ in 0..spins {
        if arrival.has_entered(number) {
            return arrival.agrees(signature);
        }
        fetch();
        pause();
    }
    false
}
