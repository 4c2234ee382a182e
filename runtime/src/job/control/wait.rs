//! What an image waits for, for who looks for a deadlock.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::lockfree::sleep::SleepRecord;
use coarray_fabric::system::fixed_str::FixedStr;

/// What an image says about its wait.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct WaitRecord {
    /// Its sleep, for a eventcount at an offset of the region, or beyond it if no other image can reach it.
    pub(crate) sleep: SleepRecord,
    /// The image whose move it is, plus one; 0 for any.
    awaited: AtomicU32,
    /// What identifies the barrier that it waits in: the team, and the number there.
    barrier: [AtomicU64; 2],
    /// The wait in words.
    pub(crate) words: FixedStr<1024>,
}

impl WaitRecord {
    /// The image whose move it is, by the description of the wait.
    pub(crate) fn awaited(&self) -> Option<usize> {
        (self.awaited.load(Ordering::Relaxed) as usize).checked_sub(1)
    }

    /// The team and the number of the barrier that the image is in.
    pub(crate) fn barrier(&self) -> Option<[u64; 2]> {
        let [team, number] = [0, 1].map(|word: usize| self.barrier[word].load(Ordering::Relaxed));
        (number != 0).then_some([team, number])
    }

    /// Begins to sleep until the eventcount at a place has reached a count, or until something comes that only the image itself, or
    /// its reactor, looks for; in the barrier with that number of a team, if that is not 0.
    pub(crate) fn prepare_park(&self, eventcount: Option<(u64, u64)>, (team, number): (u64, u64)) {
        self.barrier[0].store(team, Ordering::Relaxed);
        self.barrier[1].store(number, Ordering::Relaxed);
        let (place, target) = eventcount.unwrap_or((u64::MAX, u64::MAX));
        self.sleep.prepare_park(place, target);
    }

    /// Describes the wait anew, after a look whether it is over.
    pub(crate) fn describe(&self, awaited: Option<usize>, words: &str) {
        let awaited = awaited.map_or(0, |image| image as u32 + 1);
        self.awaited.store(awaited, Ordering::Relaxed);
        self.words.set(words);
        self.sleep.note_description();
    }
}
