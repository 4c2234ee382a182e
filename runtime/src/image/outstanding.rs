//! What an image keeps of the asynchronous collectives of a team: what it has posted, and how far it has come along the
//! records of the others. `outstanding.rs` says how it is used.

use std::collections::VecDeque;

use crate::image::descriptors::Descriptors;
use crate::lockfree::log::Cursor;

/// After so many records, or so many bytes of them, an image looks what may be taken back.
pub(crate) const RECLAIM_AFTER: (usize, usize) = (32, 1 << 20);

/// What an image keeps of the asynchronous collectives of a team.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    /// How many it has begun.
    pub(crate) begun: u64,
    /// For each from number `settled` on, whether it is over on this image.
    pub(crate) is_over: VecDeque<bool>,
    /// All before are over on this image.
    pub(crate) settled: u64,
    /// The records of each image, by index; none before the first call.
    pub(crate) cursors: Vec<Cursor>,
    pub(crate) records: Descriptors,
    pub(crate) reclaim: (usize, usize),
    /// Whether the image looks after the payloads of this team.
    pub(crate) has_unreclaimed: bool,
}

impl Outstanding {
    /// Notes that a record was written or read. Returns whether it is time to look what may be taken back.
    pub(crate) fn note(&mut self, bytes: usize) -> bool {
        self.reclaim.0 += 1;
        self.reclaim.1 = self.reclaim.1.saturating_add(bytes);
        self.reclaim.0 >= RECLAIM_AFTER.0 || self.reclaim.1 >= RECLAIM_AFTER.1
    }

    pub(crate) fn end(&mut self, number: u64) {
        self.is_over[(number - self.settled) as usize] = true;
        while self.is_over.front() == Some(&true) {
            self.is_over.pop_front();
            self.settled += 1;
        }
    }
}
