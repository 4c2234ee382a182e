//! Finding out that no image can ever go on, and saying why.
//!
//! If all images are found asleep, and nothing that any of them waits for has come, nothing will ever happen
//! again; `sleep.rs` has the proof. (Sleep with a time limit does not count as sleep.) This holds however long
//! anything takes, so slow computations and slow output are never taken for a deadlock.
//!
//! An image looks around when it has slept for a while. It first suspects a deadlock, and reports it only
//! when all images have described their waits anew since, so that the report is of one moment.
//!
//! Unlike the ring and the lock graph of Roy, Luecke, Coyle and Kraeva (*Scalable deadlock detection*, PGAS
//! 2013), which look at one kind of operation each, this needs no model of what an operation waits for.

mod report;

use std::cell::{Cell, RefCell};

use crate::control::{Failure, ONE_FAILED, Stage};
use crate::deadlock::report::Report;
use crate::failure::OWN_WORDS;
use crate::image::Image;
use crate::sleep::{self, Sleep};

/// How often an image describes its wait until the description is of now.
const FRESH: u64 = 2;

/// What one image knows of the sleep of all.
#[derive(Default)]
pub(crate) struct Suspicion {
    /// The sleep of each image when all were first found asleep.
    since: RefCell<Option<Vec<Option<Sleep>>>>,
    /// An image that was awake the last time.
    awake: Cell<usize>,
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
        let pairs = || before.iter().flatten().zip(now.iter().flatten());
        let gone = |sleeps: &[Option<Sleep>]| sleeps.iter().filter(|sleep| sleep.is_none()).count();
        if gone(before) != gone(&now) || !pairs().all(|(before, now)| now.continues(*before)) {
            *before = now;
            return false;
        }
        if !pairs().all(|(before, now)| now.was_described_since(*before, FRESH)) {
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

    /// The sleep of each image, if none can be woken; none for those that are gone.
    fn find_all_asleep(&self, image: &Image) -> Option<Vec<Option<Sleep>>> {
        let record = |index: usize| {
            let control = image.control(index);
            let is_gone = matches!(control.stage(), Stage::Failed | Stage::Finished);
            (!is_gone).then_some(&control.waiting.sleep)
        };
        record(self.awake.get())
            .is_none_or(|record| record.sleep().is_some())
            .then_some(())?;
        let region = &image.job.region;
        let alarm = region.job().alarm();
        let has_reached = |place: u64, target: u64| {
            let tally = region.tally_at(place as usize);
            tally.is_some_and(|tally| tally.has_reached(target))
        };
        match sleep::find_all_asleep(image.images, record, alarm, has_reached) {
            Ok(sleeps) => {
                // An image is marked as failed before the others are told, which wakes them.
                let failed = (0..image.images)
                    .filter(|&index| image.control(index).stage() == Stage::Failed)
                    .count();
                let is_told = alarm as usize == failed * ONE_FAILED as usize;
                (is_told && region.job().alarm() == alarm).then_some(sleeps)
            }
            Err(awake) => {
                self.awake.set(awake);
                None
            }
        }
    }
}
