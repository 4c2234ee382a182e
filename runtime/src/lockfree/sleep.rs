//! Sleep that others can see, and finding out that no image will ever wake.
//!
//! Images act only while they are awake. An image that goes to sleep first records in its [`SleepRecord`] which
//! eventcount must reach which count. An image that finds all asleep, and then every eventcount too low, knows that
//! nothing will ever happen again:
//!
//! Suppose that some images have woken, or will wake, from the sleep that was found, and take the first one. It woke
//! because its eventcount was advanced, by an image that was awake then. That image went to sleep later, for the sleep
//! that was found, because no image had woken from such a sleep before. So it advanced the eventcount before it went to
//! sleep, and the search, which found it asleep, sees the advanced eventcount: but all were found too low.
//!
//! An image of another node gives a signal in place of advancing an eventcount. It completes its signals before it
//! records that it sleeps, so the same holds for signal words, with both answers of the search across nodes
//! (`waiting/between_nodes.rs`) in the place of the two reads.
//!
//! A second read of `turns`, a sequence counter as in a seqlock, confirms that the snapshot of a record is of one
//! sleep.

use crate::primitives::{AtomicU32, AtomicU64, Ordering, fence};

/// The sleep of an image, present or last.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct SleepRecord {
    /// Odd while the image sleeps and only that eventcount, or a new failure epoch, can end the sleep.
    turns: AtomicU64,
    /// How often the image found itself still asleep, and recorded its wait again.
    described: AtomicU64,
    /// The place of the eventcount.
    eventcount: AtomicU64,
    target: AtomicU64,
    /// The place of a signal word that ends the sleep as well, when it is no longer what the image has seen.
    signal: AtomicU64,
    seen: AtomicU64,
    /// The failure epoch that the image has seen.
    failure_epoch: AtomicU32,
}

/// What ends a sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// The place of an eventcount, and the count that it must reach.
    pub(crate) eventcount: u64,
    pub(crate) target: u64,
    /// The place of a signal word, and the value that it must no longer have.
    pub(crate) signal: u64,
    pub(crate) seen: u64,
}

impl Awaited {
    /// No place.
    pub(crate) const NOWHERE: u64 = u64::MAX;

    /// Something that only the image itself, or its reactor, can see.
    pub(crate) const PRIVATE: Self = Self::count(Self::NOWHERE, u64::MAX);

    /// An eventcount alone.
    pub(crate) const fn count(eventcount: u64, target: u64) -> Self {
        Self {
            eventcount,
            target,
            signal: Self::NOWHERE,
            seen: 0,
        }
    }
}

/// The sleep of an image at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sleep {
    turns: u64,
    described: u64,
}

impl SleepRecord {
    /// Begins a sleep that this ends.
    pub(crate) fn prepare_park(&self, awaited: Awaited) {
        // Pairs with the Acquire fence in `find_all_asleep`: a search that reads one of these stores also sees in
        // `turns` that the last sleep is over.
        fence(Ordering::Release);
        self.eventcount.store(awaited.eventcount, Ordering::Relaxed);
        self.target.store(awaited.target, Ordering::Relaxed);
        self.signal.store(awaited.signal, Ordering::Relaxed);
        self.seen.store(awaited.seen, Ordering::Relaxed);
        self.failure_epoch.store(0, Ordering::Relaxed);
        self.turn();
    }

    /// Ends the sleep.
    pub(crate) fn unpark(&self) {
        self.turn();
    }

    fn turn(&self) {
        let turns = self.turns.load(Ordering::Relaxed);
        // Pairs with the Acquire in `sleep`: the record, and all that the image did before, are visible.
        self.turns.store(turns + 1, Ordering::Release);
    }

    /// Records the failure epoch that the image has seen.
    pub(crate) fn note_failure_epoch(&self, failure_epoch: u32) {
        // Pairs with the Acquire in `will_wake`.
        self.failure_epoch.store(failure_epoch, Ordering::Release);
    }

    /// Records that the image has recorded its wait again.
    pub(crate) fn note_description(&self) {
        let described = self.described.load(Ordering::Relaxed);
        // Pairs with the Acquire in `sleep`: the text of the wait is visible.
        self.described.store(described + 1, Ordering::Release);
    }

    /// The image's sleep, if it sleeps.
    pub(crate) fn sleep(&self) -> Option<Sleep> {
        let turns = self.turns.load(Ordering::Acquire);
        (turns & 1 == 1).then(|| Sleep {
            turns,
            described: self.described.load(Ordering::Acquire),
        })
    }

    /// Whether something will wake the image: a failure epoch that it has not seen, or what it awaits, as `has_arrived`
    /// tells.
    pub(crate) fn will_wake(
        &self,
        failure_epoch: u32,
        has_arrived: impl Fn(Awaited) -> bool,
    ) -> bool {
        let awaited = Awaited {
            eventcount: self.eventcount.load(Ordering::Relaxed),
            target: self.target.load(Ordering::Relaxed),
            signal: self.signal.load(Ordering::Relaxed),
            seen: self.seen.load(Ordering::Relaxed),
        };
        self.failure_epoch.load(Ordering::Acquire) != failure_epoch || has_arrived(awaited)
    }
}

impl Sleep {
    /// The number of this sleep, among those of its image.
    pub(crate) fn number(self) -> u64 {
        self.turns
    }

    /// Whether this is the same sleep as `earlier`.
    pub(crate) fn continues(self, earlier: Self) -> bool {
        self.turns == earlier.turns
    }

    /// Whether the wait was recorded this often since `earlier`.
    pub(crate) fn was_described_since(self, earlier: Self, times: u64) -> bool {
        self.described >= earlier.described + times
    }
}

/// The sleep of each image, if all sleep and nothing will wake any; otherwise an image that is awake, or will be.
///
/// `record(image)` is none for images that are gone.
pub(crate) fn find_all_asleep<'records>(
    images: usize,
    record: impl Fn(usize) -> Option<&'records SleepRecord>,
    failure_epoch: u32,
    has_arrived: impl Fn(Awaited) -> bool,
) -> Result<Vec<Option<Sleep>>, usize> {
    let sleep_of = |image: usize| match record(image) {
        Some(record) => record.sleep().map(Some).ok_or(image),
        None => Ok(None),
    };
    let first: Vec<Option<Sleep>> = (0..images).map(sleep_of).collect::<Result<_, _>>()?;
    for image in 0..images {
        if record(image).is_some_and(|record| record.will_wake(failure_epoch, &has_arrived)) {
            return Err(image);
        }
    }
    // Pairs with the Release fence in `prepare_park`: orders the reads of the records before the second reads of
    // `turns`.
    fence(Ordering::Acquire);
    let second: Vec<Option<Sleep>> = (0..images).map(sleep_of).collect::<Result<_, _>>()?;
    let changed = |image: &usize| match (first[*image], second[*image]) {
        (Some(first), Some(second)) => !second.continues(first),
        (None, None) => false,
        _ => true,
    };
    match (0..images).find(changed) {
        Some(image) => Err(image),
        None => Ok(second),
    }
}
