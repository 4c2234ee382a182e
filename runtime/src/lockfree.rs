//! The algorithms over words that images share: counts to wait for, cards, barriers, locks, lists of posts, agreements.
//!
//! They know neither images nor teams, only atomics, so that loom runs these very sources (`fabric/tests/loom_*`).

pub(crate) mod agreement;
pub(crate) mod barrier;
pub(crate) mod card;
pub(crate) mod formation;
pub(crate) mod lock_state;
pub(crate) mod posts;
pub(crate) mod queue_lock;
pub(crate) mod rendezvous;
pub(crate) mod sleep;
pub(crate) mod tally;
