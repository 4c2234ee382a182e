//! The images are counted, and the last one lets all go (the centralised barrier of Mellor-Crummey and
//! Scott 1991, with the number of the meeting for its sense).
//!
//! The last one looks at all cards first. When an image has failed the count may be wrong from then on, since those
//! who know of the failure do not come here any more: one who is taken for the last then finds somebody
//! missing, lets nobody go, and waits with the others until they all have learnt of the failure.

use crate::lockfree::rendezvous::{Passage, Place, Refusal};
use crate::primitives::Ordering;

/// Passes the barrier.
pub(crate) fn meet<P: Place>(passage: &Passage<P>) -> Result<(), Refusal<P::Stop>> {
    let Passage {
        me, images, number, ..
    } = *passage;
    let station = passage.place.station(0);
    // Whoever comes last sees the cards of all who were counted before.
    let before = station.arrived.0.fetch_add(1, Ordering::AcqRel);
    if before + 1 == images as u64 && passage.compare_all()? == images {
        // Nobody is counted again before the release.
        station.arrived.0.store(0, Ordering::Relaxed);
        station.release.0.raise_to(number);
        return Ok(());
    }
    passage.wait(&station.release.0, (me + 1) % images)
}
