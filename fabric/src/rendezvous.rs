//! The checked barrier under every collective operation.
//!
//! A dissemination barrier (Hensgen, Finkel and Manber 1988; Mellor-Crummey and Scott 1991): in round
//! `k` image `i` signals image `i + 2^k` and waits for image `i - 2^k`, so that after `ceil(log2 n)`
//! rounds everyone has heard, directly or not, of everyone.
//!
//! Every signal carries the sender's [`Tag`], which says what the sender is doing. An image goes on
//! only while the tags it receives equal its own. After round `k` an image thus knows that the
//! `2^(k+1)` images up to and including itself do the same thing: so nobody leaves the barrier unless
//! all images entered it for the same operation, and of any two that disagree none leaves.
//!
//! Signals of consecutive barriers use two alternating sets of [`Line`]s: an image may run ahead by one
//! barrier, never by two, so a line is not written again before it has been read.

use crate::primitives::{AtomicU32, AtomicU64, Ordering};
use crate::wait::{self, Patience, SLEEPING};

/// What an image is doing, in words that are compared exactly.
pub(crate) type Tag = [u64; 4];

/// The mailbox of one round: one cache line, written by one image and read by one image.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line {
    /// The number of the barrier that was signalled last, with the waiter's SLEEPING bit.
    flag: AtomicU32,
    tag: [AtomicU64; 4],
}

/// Why an image does not come out of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// That image is in another collective operation.
    Mismatch {
        /// The image whose tag differs.
        image: usize,
    },
    /// The job has ended.
    Ended,
}

/// Passes barrier number `number` (1, 2, 3, ... on every image alike) as image `me` of `images`.
///
/// `line(image, set, round)` finds a mailbox; `set` is 0 or 1.
#[inline]
pub(crate) fn meet<'lines>(
    me: usize,
    images: usize,
    number: u32,
    tag: &Tag,
    line: impl Fn(usize, usize, usize) -> &'lines Line,
    patience: Patience,
    ended: impl Fn() -> bool,
) -> Result<(), Refusal> {
    let value = number & !SLEEPING;
    let set = (number & 1) as usize;
    let mut distance = 1;
    let mut round = 0;
    while distance < images {
        let ahead = me + distance;
        let to = line(
            if ahead < images {
                ahead
            } else {
                ahead - images
            },
            set,
            round,
        );
        for (word, part) in to.tag.iter().zip(tag) {
            word.store(*part, Ordering::Relaxed);
        }
        wait::post(&to.flag, value);

        let from = line(me, set, round);
        wait::until_posted(&from.flag, value, patience, &ended).map_err(|_| Refusal::Ended)?;
        let differs = from
            .tag
            .iter()
            .zip(tag)
            .any(|(word, part)| word.load(Ordering::Relaxed) != *part);
        if differs {
            let image = if me >= distance {
                me - distance
            } else {
                me + images - distance
            };
            return Err(Refusal::Mismatch { image });
        }
        distance *= 2;
        round += 1;
    }
    Ok(())
}
