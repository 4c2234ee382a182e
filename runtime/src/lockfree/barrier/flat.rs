//! Everyone looks at everyone's arrival.
//!
//! The latency is that of one arrival on its way from core to core, since all are on the way at once. Where images
//! share cores, one that finds somebody missing lets another run, and when it runs again all the others have
//! come by: one change of images for each image and barrier. All wait for the missing image with the highest number
//! first, so that those who sleep are woken together by an image that comes late, and not one by one by their
//! neighbours, only to find the next one missing.

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

/// Whether the image with this arrival comes while this one spins, and agrees: the short way through the barrier, on
/// which nothing is made that only a longer wait needs. If not, [`barrier`] is to find out more.
#[inline]
pub(crate) fn spin_for(arrival: &Arrival, number: u64, signature: &Signature, spins: u32) -> bool {
    for _ in 0..spins {
        if arrival.has_entered(number) {
            return arrival.agrees(signature);
        }
        pause();
    }
    false
}
