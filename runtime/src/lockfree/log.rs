//! What images leave for each other to read, each at its own pace: lists of records.
//!
//! An image writes a record, links it behind its previous one, and raises the count of what it has posted. From
//! then on the others need no help from it. Each of them follows the list on a [`Cursor`] of its own, and says up
//! to which number it needs no record any more; the owner takes a record back when all have said so.
//!
//! ```text
//! Log of image 0:  posted 3
//!                    first --> record 0 --> record 1 --> record 2
//!                                 ^             ^
//! Cursor of image 1 ---------------+-------------+         it has found two, and looks for the third
//! ```
//!
//! There are no slots to run out of or to be claimed in the wrong order, so any number of records may be
//! outstanding, and an image is never held up where it posts. A record's link is needed longer than the record:
//! who has found record `k` and not yet record `k + 1` needs the link of `k`. So an image that has *released*
//! `n` records, all of which it has found, leaves the owner record `n - 1`, and all that follow.
//!
//! Long payloads lie beside their records, and are needed by those only who read them. So an image also says how many
//! payloads it has *finished* with, found or not; the owner takes those back that all have finished with, although
//! the record of the newest stays until there is another.

use std::collections::VecDeque;

use crate::lockfree::eventcount::Eventcount;
use crate::primitives::{AtomicU64, Ordering};

/// Where the next record is.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Link(AtomicU64);

/// What an image shows the others of its list, and of its way along theirs.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Log {
    /// How many records the image has posted.
    pub(crate) posted: Eventcount,
    first: Link,
    over: Watermark,
}

/// How many records and payloads of any image are over for this one. In a cache line of its own: it is read by who
/// does not read the list.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Watermark {
    records: AtomicU64,
    payloads: AtomicU64,
}

impl Log {
    /// Posts the record at `place`, which is complete, as number `number`. `last` is the link of the one before.
    #[inline]
    pub(crate) fn post(&self, last: Option<&Link>, place: u64, number: u64) {
        let Link(link) = last.unwrap_or(&self.first);
        link.store(place, Ordering::Relaxed);
        self.posted.advance_to(number + 1);
    }

    /// Says that this image needs no record before number `count` of any image any more, all of which it has
    /// found.
    #[inline]
    pub(crate) fn release(&self, count: u64) {
        self.over.records.store(count, Ordering::Release);
    }

    /// What the image said last with [`release`](Self::release); its reads of those records are over.
    #[inline]
    pub(crate) fn released(&self) -> u64 {
        self.over.records.load(Ordering::Acquire)
    }

    /// Says that this image reads no payload before number `count` of any image any more.
    #[inline]
    pub(crate) fn finish(&self, count: u64) {
        self.over.payloads.store(count, Ordering::Release);
    }

    /// What the image said last with [`finish`](Self::finish); its reads of those payloads are over.
    #[inline]
    pub(crate) fn finished(&self) -> u64 {
        self.over.payloads.load(Ordering::Acquire)
    }
}

/// How much of what it has posted an image may take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reclaimable {
    /// So many of its first records.
    pub(crate) records: u64,
    /// So many of its first payloads.
    pub(crate) payloads: u64,
}

impl Reclaimable {
    /// By what the images with these logs have said.
    pub(crate) fn by<'a>(logs: impl Iterator<Item = &'a Log>) -> Self {
        let (mut released, mut finished) = (u64::MAX, u64::MAX);
        for log in logs {
            released = released.min(log.released());
            finished = finished.min(log.finished());
        }
        Self {
            records: released.saturating_sub(1),
            payloads: finished,
        }
    }

    /// By what another image has said, too.
    pub(crate) fn and(self, released: u64, finished: u64) -> Self {
        Self {
            records: self.records.min(released.saturating_sub(1)),
            payloads: self.payloads.min(finished),
        }
    }
}

/// The way of one image along the records of one.
#[derive(Debug, Default)]
pub(crate) struct Cursor {
    /// How many records it has found.
    found: u64,
    /// Where the last of these are.
    places: VecDeque<u64>,
}

impl Cursor {
    /// How many records it has found.
    #[inline]
    pub(crate) fn found(&self) -> u64 {
        self.found
    }

    /// Where the next record is, if it is posted; `link` is that of the record at a place.
    #[inline]
    pub(crate) fn next<'a>(&self, log: &'a Log, link: impl FnOnce(u64) -> &'a Link) -> Option<u64> {
        log.posted.has_reached(self.found + 1).then(|| {
            let Link(link) = self.last().map_or(&log.first, link);
            link.load(Ordering::Relaxed)
        })
    }

    /// Notes that the next record is at `place`.
    #[inline]
    pub(crate) fn push(&mut self, place: u64) {
        self.places.push_back(place);
        self.found += 1;
    }

    /// Where the last record is that it has found.
    #[inline]
    pub(crate) fn last(&self) -> Option<u64> {
        self.places.back().copied()
    }

    /// Where record `number` is, which it has found and not forgotten.
    #[inline]
    pub(crate) fn place(&self, number: u64) -> u64 {
        let forgotten = self.found - self.places.len() as u64;
        self.places[(number - forgotten) as usize]
    }

    /// Forgets where the records before number `number` are, but not the last.
    #[inline]
    pub(crate) fn forget(&mut self, number: u64) {
        while self.places.len() > 1 && self.found - (self.places.len() as u64) < number {
            self.places.pop_front();
        }
    }
}
