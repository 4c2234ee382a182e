//! Counts of messages between nodes, for the deadlock search.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many messages an image has sent to other nodes and handled for them, for the images of its node to read.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) sent: AtomicU64,
    pub(crate) carried_out: AtomicU64,
}

impl Traffic {
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Acquire)
    }

    pub(crate) fn carried_out(&self) -> u64 {
        self.carried_out.load(Ordering::Acquire)
    }
}
