//! The state of a team's asynchronous collectives on one image: its descriptors, and its cursors in the logs of the
//! others. `collective/outstanding.rs` describes the protocol.

use std::collections::VecDeque;

use crate::image::descriptors::Descriptors;
use crate::lockfree::log::Cursor;

/// Reclaiming is due after this many descriptors, or bytes of payload.
pub(crate) const RECLAIM_AFTER: (usize, usize) = (32, 1 << 20);

/// The state of a team's asynchronous collectives on one image.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    /// How many collectives the image has begun.
    pub(crate) begun: u64,
    /// For each collective from number `settled` on, whether it is over on this image.
    pub(crate) is_over: VecDeque<bool>,
    /// All collectives before this number are over on this image.
    pub(crate) settled: u64,
    /// The cursor in the log of each image, by index; none before the first call.
    pub(crate) cursors: Vec<Cursor>,
    pub(crate) descriptors: Descriptors,
    /// Descriptors and bytes of payload since the last reclaiming.
    pub(crate) since_reclaim: (usize, usize),
    /// Whether the team is in `Image::teams_to_reclaim`.
    pub(crate) awaits_reclaim: bool,
}

impl Outstanding {
    /// Counts a descriptor that was written or read. Returns whether reclaiming is due.
    pub(crate) fn note_use(&mut self, bytes: usize) -> bool {
        self.since_reclaim.0 += 1;
        self.since_reclaim.1 = self.since_reclaim.1.saturating_add(bytes);
        self.since_reclaim.0 >= RECLAIM_AFTER.0 || self.since_reclaim.1 >= RECLAIM_AFTER.1
    }

    /// Records that the collective with this number is over on this image.
    pub(crate) fn settle(&mut self, number: u64) {
        self.is_over[(number - self.settled) as usize] = true;
        while self.is_over.front() == Some(&true) {
            self.is_over.pop_front();
            self.settled += 1;
        }
    }
}
