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
//!
//! # When images fail
//! A failed image signals nobody, so the rounds get stuck. But every image also notes in its [`Arrival`]
//! how many barriers it entered, and whoever learns of a failure goes over to [`meet_survivors`]: it waits
//! until each image has arrived or failed, and finds out which arrived. All images come to the same answer,
//! however they went through the barrier:
//! * if the rounds took anyone through, all images had arrived, also those that failed since;
//! * who has not arrived and is dead never will, so the set of those who arrived is settled when all
//!   others have.

use std::time::Duration;

use crate::primitives::{AtomicU64, Ordering};
use crate::tally::{self, Patience, Tally, Watch};

/// What an image is doing, in words that are compared exactly.
pub(crate) type Tag = [u64; 4];

/// The mailbox of one round: one cache line, written by one image and read by one image.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line {
    /// The number of the barrier that was signalled last.
    signal: Tally,
    tag: Words,
}

impl Line {
    #[inline]
    pub(crate) fn send(&self, number: u64, tag: &Tag) {
        self.tag.write(tag);
        self.signal.raise_to(number);
    }
}

/// Where an image says how far it has come: what the others need if the rounds get stuck.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Arrival {
    /// How many barriers the image has entered.
    entered: AtomicU64,
    /// The same, for others to sleep on: raised only by an image that knows of a failure, so that the others
    /// pay nothing. Whoever sleeps on it looks at `entered` now and then.
    bell: Tally,
    /// The tag of the last two barriers, by parity.
    tags: [Words; 2],
}

/// A tag in shared memory.
#[derive(Debug, Default)]
#[repr(C)]
struct Words([AtomicU64; 4]);

impl Words {
    #[inline]
    fn write(&self, tag: &Tag) {
        for (word, part) in self.0.iter().zip(tag) {
            word.store(*part, Ordering::Relaxed);
        }
    }

    #[inline]
    fn equals(&self, tag: &Tag) -> bool {
        self.0
            .iter()
            .zip(tag)
            .all(|(word, part)| word.load(Ordering::Relaxed) == *part)
    }

    fn read(&self) -> Tag {
        [0, 1, 2, 3].map(|word: usize| self.0[word].load(Ordering::Relaxed))
    }
}

impl Arrival {
    /// Enters barrier number `number`.
    #[inline]
    pub(crate) fn enter(&self, number: u64, tag: &Tag) {
        self.tags[(number & 1) as usize].write(tag);
        self.entered.store(number, Ordering::Release);
    }

    /// Whether the image has entered that barrier.
    pub(crate) fn has_entered(&self, number: u64) -> bool {
        self.entered.load(Ordering::Acquire) >= number
    }

    /// What the image is, or was, doing in that barrier, which it entered as the last or the last but one.
    pub(crate) fn tag(&self, number: u64) -> Tag {
        self.tags[(number & 1) as usize].read()
    }
}

/// The way of one image through a barrier.
#[derive(Clone, Copy)]
pub(crate) struct Passage<'a> {
    /// The image's index.
    pub(crate) me: usize,
    /// How many images meet.
    pub(crate) images: usize,
    /// 1, 2, 3, ... on every image alike.
    pub(crate) number: u64,
    /// What the image is doing.
    pub(crate) tag: &'a Tag,
    /// How it waits.
    pub(crate) patience: Patience,
}

/// Why an image does not come out of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal<Stop> {
    /// That image is in another collective operation.
    Mismatch {
        /// The image whose tag differs.
        image: usize,
    },
    /// The waiting was stopped.
    Stopped(Stop),
}

/// Passes the barrier, in rounds. The image has entered its [`Arrival`].
///
/// `line(image, set, round)` finds a mailbox; `set` is 0 or 1. `watch(image)` is what this image does while it
/// waits for that one.
#[inline]
pub(crate) fn meet<'lines, W: Watch>(
    passage: &Passage<'_>,
    line: impl Fn(usize, usize, usize) -> &'lines Line,
    watch: impl Fn(usize) -> W,
) -> Result<(), Refusal<W::Stop>> {
    let Passage {
        me,
        images,
        number,
        tag,
        patience,
    } = *passage;
    let set = (number & 1) as usize;
    let mut distance = 1;
    let mut round = 0;
    while distance < images {
        let ahead = me + distance;
        let ahead = if ahead < images {
            ahead
        } else {
            ahead - images
        };
        line(ahead, set, round).send(number, tag);

        let behind = if me >= distance {
            me - distance
        } else {
            me + images - distance
        };
        let from = line(me, set, round);
        tally::until(&from.signal, number, patience, || watch(behind)).map_err(Refusal::Stopped)?;
        if !from.tag.equals(tag) {
            return Err(Refusal::Mismatch { image: behind });
        }
        distance *= 2;
        round += 1;
    }
    Ok(())
}

/// Passes the barrier although images have failed, by looking at everyone. Returns who had not arrived when
/// it failed.
///
/// `has_failed(image)` may become true only when the image can do nothing any more. `watch(image)` stops the
/// waiting for an image that has failed.
pub(crate) fn meet_survivors<'lines, W: Watch>(
    passage: &Passage<'_>,
    arrival: impl Fn(usize) -> &'lines Arrival,
    has_failed: impl Fn(usize) -> bool,
    watch: impl Fn(usize) -> W,
) -> Result<Vec<usize>, Refusal<W::Stop>> {
    let number = passage.number;
    arrival(passage.me).bell.raise_to(number);
    let mut missing = Vec::new();
    for image in 0..passage.images {
        let arrival = arrival(image);
        while !arrival.has_entered(number) {
            // It may have arrived just before it failed.
            if has_failed(image) && !arrival.has_entered(number) {
                missing.push(image);
                break;
            }
            let arriving = || Arriving {
                watch: watch(image),
                arrival,
                number,
            };
            let stopped = tally::until(&arrival.bell, number, passage.patience, arriving);
            if let Err(Some(stop)) = stopped
                && !has_failed(image)
            {
                return Err(Refusal::Stopped(stop));
            }
        }
        if missing.last() != Some(&image) && arrival.tag(number) != *passage.tag {
            return Err(Refusal::Mismatch { image });
        }
    }
    Ok(missing)
}

/// Waits for a bell, and looks whether the image has arrived without ringing it.
struct Arriving<'a, W> {
    watch: W,
    arrival: &'a Arrival,
    number: u64,
}

impl<W: Watch> Watch for Arriving<'_, W> {
    /// None if the image has arrived.
    type Stop = Option<W::Stop>;

    fn look(&self) -> Result<(), Self::Stop> {
        if self.arrival.has_entered(self.number) {
            return Err(None);
        }
        self.watch.look().map_err(Some)
    }

    fn nap(&self) -> Duration {
        self.watch.nap()
    }

    fn lie_down(&self, tally: &Tally, target: u64) {
        self.watch.lie_down(tally, target);
    }

    fn turn_over(&self) -> Result<(), Self::Stop> {
        self.look()?;
        self.watch.turn_over().map_err(Some)
    }

    fn rise(&self) {
        self.watch.rise();
    }
}
