//! Logs: lists of descriptors that images leave for each other, which each image reads at its own pace.
//!
//! An image writes a descriptor, links it behind its previous one, and advances the count of what it has posted. From
//! then on the others need no help from it. Each of them follows the list with a [`Cursor`] of its own, and publishes up
//! to which number it needs no descriptor any more. The owner reclaims a descriptor when all have published that.
//!
//! ```text
//! Log of image 0:  posted 3
//!                    first --> descriptor 0 --> descriptor 1 --> descriptor 2
//!                                   ^                ^
//! Cursor of image 1 ----------------+----------------+     it has found two, and looks for the third
//! ```
//!
//! There are no slots to run out of, or to claim in the wrong order. So any number of descriptors may be outstanding, and
//! posting never blocks. The link of a descriptor is needed longer than the rest: an image that has found descriptor `k`
//! and not yet `k + 1` needs the link of `k`. So an image that has *released* `n` descriptors, all of which it has found,
//! leaves the owner descriptor `n - 1`, and all that follow.
//!
//! Long payloads lie beside their descriptors, and only their readers need them. So an image also publishes how many
//! payloads it has *finished* with, found or not. The owner reclaims the payloads that all have finished with; the
//! descriptor of the newest stays until there is another.

use std::collections::VecDeque;

use crate::lockfree::eventcount::Eventcount;
use crate::primitives::{AtomicU64, Ordering};

/// The place of the next descriptor.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Link(AtomicU64);

/// What an image publishes of its own list, and of its progress along the lists of the others.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Log {
    /// How many descriptors the image has posted.
    pub(crate) posted: Eventcount,
    first: Link,
    over: Watermark,
}

/// How many descriptors and payloads of any image this one has finished with. In a cache line of its own: its readers
/// do not read the list.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Watermark {
    records: AtomicU64,
    payloads: AtomicU64,
}

impl Log {
    /// Posts the complete descriptor at `place` as number `number`. `last` is the link of the one before.
    #[inline]
    pub(crate) fn post(&self, last: Option<&Link>, place: u64, number: u64) {
        let Link(link) = last.unwrap_or(&self.first);
        // Relaxed: `posted` publishes the link with the descriptor.
        link.store(place, Ordering::Relaxed);
        self.posted.advance_to(number + 1);
    }

    /// Publishes that this image needs no descriptor before number `count` of any image any more, all of which it has
    /// found.
    #[inline]
    pub(crate) fn release(&self, count: u64) {
        // Pairs with the Acquire in `released`: the reads of these descriptors come before their reuse.
        self.over.records.store(count, Ordering::Release);
    }

    /// What the image published last with [`release`](Self::release); its reads of those descriptors are over.
    #[inline]
    pub(crate) fn released(&self) -> u64 {
        // Pairs with the Release in `release`.
        self.over.records.load(Ordering::Acquire)
    }

    /// Publishes that this image reads no payload before number `count` of any image any more.
    #[inline]
    pub(crate) fn finish(&self, count: u64) {
        // Pairs with the Acquire in `finished`: the reads of these payloads come before their reuse.
        self.over.payloads.store(count, Ordering::Release);
    }

    /// What the image published last with [`finish`](Self::finish); its reads of those payloads are over.
    #[inline]
    pub(crate) fn finished(&self) -> u64 {
        // Pairs with the Release in `finish`.
        self.over.payloads.load(Ordering::Acquire)
    }
}

/// How much of its log an image may reclaim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reclaimable {
    /// This many of its first descriptors.
    pub(crate) records: u64,
    /// This many of its first payloads.
    pub(crate) payloads: u64,
}

impl Reclaimable {
    /// What the images with these logs have finished with.
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

    /// The same if another image has finished with this much.
    pub(crate) fn and(self, released: u64, finished: u64) -> Self {
        Self {
            records: self.records.min(released.saturating_sub(1)),
            payloads: self.payloads.min(finished),
        }
    }
}

/// One image's position in the log of another.
#[derive(Debug, Default)]
pub(crate) struct Cursor {
    /// How many descriptors it has found.
    found: u64,
    /// The places of the last of these.
    places: VecDeque<u64>,
}

impl Cursor {
    /// How many descriptors it has found.
    #[inline]
    pub(crate) fn found(&self) -> u64 {
        self.found
    }

    /// The place of the next descriptor, if it is posted; `link` returns the link of the descriptor at a place.
    #[inline]
    pub(crate) fn next<'a>(&self, log: &'a Log, link: impl FnOnce(u64) -> &'a Link) -> Option<u64> {
        log.posted.has_reached(self.found + 1).then(|| {
            let Link(link) = self.last().map_or(&log.first, link);
            // Relaxed: the count of `posted`, read before with Acquire, published the link.
            link.load(Ordering::Relaxed)
        })
    }

    /// Records that the next descriptor is at `place`.
    #[inline]
    pub(crate) fn push(&mut self, place: u64) {
        self.places.push_back(place);
        self.found += 1;
    }

    /// The place of the last descriptor that it has found.
    #[inline]
    pub(crate) fn last(&self) -> Option<u64> {
        self.places.back().copied()
    }

    /// The place of descriptor `number`, which it has found and not forgotten.
    #[inline]
    pub(crate) fn place(&self, number: u64) -> u64 {
        let forgotten = self.found - self.places.len() as u64;
        self.places[(number - forgotten) as usize]
    }

    /// Forgets the places of the descriptors before number `number`, but not the last place.
    #[inline]
    pub(crate) fn forget(&mut self, number: u64) {
        while self.places.len() > 1 && self.found - (self.places.len() as u64) < number {
            self.places.pop_front();
        }
    }
}
