//! The algorithms over words that images share: counts to wait for, arrivals, barriers, locks, lists of posts, agreements.
//!
//! They know neither images nor teams, only atomics, so that loom runs these very sources (`runtime/tests/loom_*`).

pub(crate) mod arrival;
pub(crate) mod barrier;
pub(crate) mod checked_barrier;
pub(crate) mod eventcount;
pub(crate) mod lock_state;
pub(crate) mod log;
pub(crate) mod queue_lock;
pub(crate) mod release_mask;
pub(crate) mod sleep;
pub(crate) mod split;
