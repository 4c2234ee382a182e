//! Sleep that others can see, and finding out that nobody will ever wake up.
//!
//! Images act only while they are awake. An image that lies down to sleep first says in its [`SleepRecord`] which
//! eventcount must reach which count. Whoever finds all images asleep, and then every eventcount too low, knows that
//! nothing will ever happen again:
//!
//! Suppose that some images have risen, or will rise, from the sleep that was found, and take the first one. It rose
//! because its eventcount was raised, by an image that was awake then. That image lay down later, for the sleep that
//! was found of it, as nobody had risen from such a sleep before. So it raised the eventcount before it lay down,
//! and who found it asleep sees the eventcount raised: but all were found too low.
//!
//! That what was read of a record is of the sleep that was found is seen from the record's turns, which count
//! every lying down and every rising, and are read once more.

use crate::primitives::{AtomicU32, AtomicU64, Ordering, fence};

/// An image that lies asleep, or lay so.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct SleepRecord {
    /// Odd while the image sleeps and only that eventcount, or an alarm, can let it go on.
    turns: AtomicU64,
    /// How often the image found itself still asleep, and described the wait anew.
    described: AtomicU64,
    /// Where the eventcount is.
    eventcount: AtomicU64,
    target: AtomicU64,
    /// The alarm that the image has seen.
    failure_epoch: AtomicU32,
}

/// The sleep of an image at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sleep {
    turns: u64,
    described: u64,
}

impl SleepRecord {
    /// Begins to sleep until the eventcount at `place` has reached `target`.
    pub(crate) fn prepare_park(&self, place: u64, target: u64) {
        // Who reads what is written here also sees that the last sleep is over.
        fence(Ordering::Release);
        self.eventcount.store(place, Ordering::Relaxed);
        self.target.store(target, Ordering::Relaxed);
        self.failure_epoch.store(0, Ordering::Relaxed);
        self.turn();
    }

    /// Sleeps no more.
    pub(crate) fn unpark(&self) {
        self.turn();
    }

    fn turn(&self) {
        let turns = self.turns.load(Ordering::Relaxed);
        self.turns.store(turns + 1, Ordering::Release);
    }

    /// Notes that the image has looked at this alarm.
    pub(crate) fn note_failure_epoch(&self, failure_epoch: u32) {
        self.failure_epoch.store(failure_epoch, Ordering::Release);
    }

    /// Notes that the image has described its wait anew.
    pub(crate) fn note_description(&self) {
        let described = self.described.load(Ordering::Relaxed);
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

    /// Whether something will wake the image: an alarm that it has not seen, or its eventcount, of which
    /// `has_reached(place, target)` tells.
    pub(crate) fn will_wake(
        &self,
        failure_epoch: u32,
        has_reached: impl Fn(u64, u64) -> bool,
    ) -> bool {
        let place = self.eventcount.load(Ordering::Relaxed);
        let target = self.target.load(Ordering::Relaxed);
        self.failure_epoch.load(Ordering::Acquire) != failure_epoch || has_reached(place, target)
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

    /// Whether the wait was described so often since `earlier`.
    pub(crate) fn was_described_since(self, earlier: Self, times: u64) -> bool {
        self.described >= earlier.described + times
    }
}

/// The sleep of each image, if all sleep and nothing will wake any; otherwise the image that does not, or will not.
///
/// `record(image)` is none for images that are gone.
pub(crate) fn find_all_asleep<'records>(
    images: usize,
    record: impl Fn(usize) -> Option<&'records SleepRecord>,
    failure_epoch: u32,
    has_reached: impl Fn(u64, u64) -> bool,
) -> Result<Vec<Option<Sleep>>, usize> {
    let sleep_of = |image: usize| match record(image) {
        Some(record) => record.sleep().map(Some).ok_or(image),
        None => Ok(None),
    };
    let first: Vec<Option<Sleep>> = (0..images).map(sleep_of).collect::<Result<_, _>>()?;
    for image in 0..images {
        if record(image).is_some_and(|record| record.will_wake(failure_epoch, &has_reached)) {
            return Err(image);
        }
    }
    // What was read of the sleeps is older than what is read now; goes with the one in `prepare_park`.
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
