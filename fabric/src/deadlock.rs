//! Finding out that no image can ever go on, and saying why.
//!
//! Images act only while they are awake. If all are found asleep, then every tally that they wait for is
//! found too low, and then all are found still in the same sleep, there was a moment between the two looks at
//! which all slept and nobody could be woken: nothing will ever happen again. (Sleep with a time limit does
//! not count as sleep.) This holds however long anything takes, so slow computations and slow output are
//! never taken for a deadlock.
//!
//! An image looks around when it has slept for a while. It first suspects a deadlock, and reports it only
//! when all images have described their waits anew since, so that the report is of one moment.
//!
//! Unlike the ring and the lock graph of Roy, Luecke, Coyle and Kraeva (*Scalable deadlock detection*, PGAS
//! 2013), which look at one kind of operation each, this needs no model of what an operation waits for.

mod report;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{Ordering, fence};

use crate::control::{Failure, ONE_FAILED, Stage};
use crate::deadlock::report::Report;
use crate::failure::OWN_WORDS;
use crate::image::Image;

/// How often an image describes its wait until the description is of now.
const FRESH: u64 = 2;

/// What one image knows of the sleep of all.
#[derive(Default)]
pub(crate) struct Suspicion {
    /// The sleep of each image when all were first found asleep.
    since: RefCell<Option<Vec<Sleep>>>,
    /// An image that was awake the last time.
    awake: Cell<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sleep {
    turns: u64,
    described: u64,
}

impl Suspicion {
    /// Ends the job if no image can go on. Returns whether it did.
    pub(crate) fn look_around(&self, image: &Image) -> bool {
        let Some(now) = self.find_all_asleep(image) else {
            *self.since.borrow_mut() = None;
            return false;
        };
        let mut since = self.since.borrow_mut();
        let before = since.get_or_insert_with(|| now.clone());
        let same = |(one, other): (&Sleep, &Sleep)| one.turns == other.turns;
        if !before.iter().zip(&now).all(same) {
            *before = now;
            return false;
        }
        let fresh = |(before, now): (&Sleep, &Sleep)| {
            now.turns == 0 || now.described >= before.described + FRESH
        };
        if !before.iter().zip(&now).all(fresh) {
            return false;
        }
        // If another image finds the same first, this report may be of images that wake up; it is not kept.
        image.job.fail(&Failure {
            image: image.index,
            code: 1,
            text: format!("{OWN_WORDS}{}", Report::new(image).text()),
        });
        true
    }

    /// The sleep of each image, if none can be woken; default for those that are gone.
    fn find_all_asleep(&self, image: &Image) -> Option<Vec<Sleep>> {
        self.sleep_of(image, self.awake.get())?;
        let region = &image.job.region;
        let alarm = region.job().alarm();
        let first = self.sleep_of_all(image)?;
        // An image is marked as failed before the others are told, which wakes them.
        let failed = (0..image.images)
            .filter(|&index| image.control(index).stage() == Stage::Failed)
            .count();
        if alarm as usize != failed * ONE_FAILED as usize {
            return None;
        }
        for index in (0..image.images).filter(|&index| first[index] != Sleep::default()) {
            let record = &image.control(index).waiting;
            let tally = region.tally_at(record.tally.load(Ordering::Relaxed) as usize);
            let target = record.target.load(Ordering::Relaxed);
            let stirs = record.alarm.load(Ordering::Acquire) != alarm
                || tally.is_some_and(|tally| tally.has_reached(target));
            if stirs {
                self.awake.set(index);
                return None;
            }
        }
        // What was read of the sleeps is older than what is read now; goes with the one in `lie_down`.
        fence(Ordering::Acquire);
        let second = self.sleep_of_all(image)?;
        let same = first
            .iter()
            .zip(&second)
            .all(|(one, other)| one.turns == other.turns);
        (same && region.job().alarm() == alarm).then_some(second)
    }

    fn sleep_of_all(&self, image: &Image) -> Option<Vec<Sleep>> {
        (0..image.images)
            .map(|index| self.sleep_of(image, index))
            .collect()
    }

    fn sleep_of(&self, image: &Image, index: usize) -> Option<Sleep> {
        let control = image.control(index);
        if matches!(control.stage(), Stage::Failed | Stage::Finished) {
            return Some(Sleep::default());
        }
        let turns = control.waiting.turns.load(Ordering::Acquire);
        if turns & 1 == 0 {
            self.awake.set(index);
            return None;
        }
        Some(Sleep {
            turns,
            described: control.waiting.described.load(Ordering::Acquire),
        })
    }
}
