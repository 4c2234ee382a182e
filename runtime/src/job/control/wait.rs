//! What an image waits for, for the deadlock search.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::lockfree::sleep::{Awaited, SleepRecord};
use coarray_fabric::system::fixed_str::FixedStr;

/// The record of a wait.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct WaitRecord {
    /// Its sleep, for an eventcount and a signal word at offsets of the region, or beyond it if no other image can read them.
    pub(crate) sleep: SleepRecord,
    /// The image that it waits for, plus one; 0 for any.
    awaited: AtomicU32,
    /// Identifies the barrier that it waits in: the team, and the number in it.
    barrier: [AtomicU64; 2],
    /// The wait, as text.
    pub(crate) words: FixedStr<1024>,
}

impl WaitRecord {
    /// The image that it waits for, as the text of the wait says.
    pub(crate) fn awaited(&self) -> Option<usize> {
        (self.awaited.load(Ordering::Relaxed) as usize).checked_sub(1)
    }

    /// The team and the number of the barrier that the image is in.
    pub(crate) fn barrier(&self) -> Option<[u64; 2]> {
        let [team, number] = [0, 1].map(|word: usize| self.barrier[word].load(Ordering::Relaxed));
        (number != 0).then_some([team, number])
    }

    /// Records a sleep that `awaited` ends; in barrier `number` of a team, if that is not 0.
    pub(crate) fn prepare_park(&self, awaited: Awaited, (team, number): (u64, u64)) {
        self.barrier[0].store(team, Ordering::Relaxed);
        self.barrier[1].store(number, Ordering::Relaxed);
        self.sleep.prepare_park(awaited);
    }

    /// Records the wait again, after a check that it is not over.
    pub(crate) fn describe(&self, awaited: Option<usize>, words: &str) {
        let awaited = awaited.map_or(0, |image| image as u32 + 1);
        self.awaited.store(awaited, Ordering::Relaxed);
        self.words.set(words);
        self.sleep.note_description();
    }
}
