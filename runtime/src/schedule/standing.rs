//! Why an image does not run, and whether it can go on.

use std::time::Duration;

use super::in_flight::CarryOut;
use super::polling::Reads;
use crate::lockfree::eventcount::PARK_TIMEOUT;
use crate::primitives::{AtomicU64, Ordering};

/// Where an image stands.
#[derive(Debug)]
pub(super) enum Standing {
    /// It has not come yet.
    Absent,
    /// It can go on.
    Able,
    /// It can go on, and puts of it that are late arrive then.
    Completes,
    /// It sleeps on a word.
    Sleeps(Sleep),
    /// It waits for what another one is about to do, and has looked when so much had been done.
    Yields(u64),
    /// It reads what others must write, and has looked in this round.
    Polls(u64),
    /// It has failed, which is to be declared by this: others do not know.
    Failed(CarryOut),
    /// It is over.
    Gone,
}

/// How far the job is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// What images have done.
    pub(super) done: u64,
    /// How many are known to have failed.
    pub(super) failed: u64,
    /// How often nobody could go on, so that time passed.
    pub(super) rounds: u64,
    /// The virtual time since the job began.
    pub(super) time: Duration,
}

/// An image that sleeps until a word changes, or for some time.
#[derive(Debug)]
pub(super) struct Sleep {
    word: Word,
    seen: u64,
    pub(super) until: Duration,
    /// If it looks at more than the word, each time that something has been done: what had been done then.
    looks: Option<u64>,
    /// It also looks when more images have failed than when it began to sleep.
    failed: u64,
}

#[derive(Debug)]
struct Word(*const AtomicU64);

// SAFETY: `Sleep::new` is told that the word is there while the image sleeps, and it is atomic.
unsafe impl Send for Word {}

impl Sleep {
    /// # Safety
    /// The word is there as long as the image sleeps.
    pub(super) unsafe fn new(
        word: &AtomicU64,
        seen: u64,
        nap: Duration,
        progress: Progress,
    ) -> Self {
        Self {
            word: Word(word),
            seen,
            until: progress.time + nap,
            // Who sleeps shorter than usual has another reason to wake.
            looks: (nap < PARK_TIMEOUT).then_some(progress.done),
            failed: progress.failed,
        }
    }

    /// Whether the word has.
    pub(super) fn has_changed(&self) -> bool {
        // SAFETY: `new` was promised that the word is there while the image sleeps; who asks has the turn.
        let word = unsafe { &*self.word.0 };
        // Relaxed: the turn orders it. The kernel compares the low half, too.
        word.load(Ordering::Relaxed) as u32 != self.seen as u32
    }
}

impl Standing {
    /// Whether the image can go on, and may find what it waits for.
    pub(super) fn is_able(&self, reads: &Reads, now: Progress) -> bool {
        match self {
            Self::Absent | Self::Gone => false,
            Self::Able | Self::Completes | Self::Failed(_) => true,
            Self::Sleeps(sleep) => {
                sleep.until <= now.time
                    || sleep.looks.is_some_and(|done| done < now.done)
                    || sleep.failed < now.failed
                    || sleep.has_changed()
            }
            Self::Yields(done) => *done < now.done,
            Self::Polls(round) => *round < now.rounds || reads.have_changed(),
        }
    }

    /// Whether the image is one that will go on.
    pub(super) fn is_there(&self) -> bool {
        !matches!(self, Self::Absent | Self::Gone)
    }
}
