//! The algorithms on words that images share: eventcounts, arrivals, barriers, blocks of a shadow, locks, logs, parking, release masks, splits.
//!
//! They know no images and teams, only atomics, so loom runs these very sources (`runtime/tests/loom_*`).

pub(crate) mod arrival;
pub(crate) mod barrier;
pub(crate) mod block_state;
pub(crate) mod checked_barrier;
pub(crate) mod eventcount;
pub(crate) mod lending;
pub(crate) mod lock_state;
pub(crate) mod log;
pub(crate) mod parking;
pub(crate) mod post_ring;
pub(crate) mod queue_lock;
pub(crate) mod release_mask;
pub(crate) mod sleep;
pub(crate) mod split;
