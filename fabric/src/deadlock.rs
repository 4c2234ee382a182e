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

mod between_nodes;
mod report;

use std::cell::{Cell, RefCell};

use crate::control::{ONE_FAILED, Stage};
use crate::deadlock::report::Report;
use crate::failure::OWN_WORDS;
use crate::image::Image;
use crate::sleep::{self, Sleep, SleepRecord};

pub(crate) use between_nodes::Probe;

/// How often an image describes its wait until the description is of now.
const FRESH: u64 = 2;

/// What one image knows of the sleep of all.
#[derive(Default)]
pub(crate) struct Suspicion {
    standstill: Standstill,
    /// An image that was awake the last time.
    awake: Cell<usize>,
}

/// The sleep of each image when all were first found asleep.
#[derive(Debug, Default)]
struct Standstill(RefCell<Option<Vec<Option<Sleep>>>>);

impl Standstill {
    /// Whether all have slept on since then, and described their waits anew. `now` is none if not all sleep.
    fn lasts(&self, now: Option<&[Option<Sleep>]>) -> bool {
        let mut since = self.0.borrow_mut();
        let Some(now) = now else {
            *since = None;
            return false;
        };
        let before = since.get_or_insert_with(|| now.to_vec());
        let pairs = || before.iter().flatten().zip(now.iter().flatten());
        let gone = |sleeps: &[Option<Sleep>]| sleeps.iter().filter(|sleep| sleep.is_none()).count();
        if gone(before) != gone(now) || !pairs().all(|(before, now)| now.continues(*before)) {
            *before = now.to_vec();
            return false;
        }
        pairs().all(|(before, now)| now.was_described_since(*before, FRESH))
    }
}

impl Suspicion {
    /// Ends the job if no image can go on. Returns whether it did.
    pub(crate) fn look_around(&self, image: &Image) -> bool {
        let now = self.find_all_asleep(image);
        if !self.standstill.lasts(now.as_deref()) {
            return false;
        }
        if image.network.is_some() {
            // Other nodes may send something.
            return image.ask_other_nodes();
        }
        // If another image finds the same first, this report may be of images that wake up; it is not kept.
        image.report_deadlock();
        true
    }

    /// The sleep of each image of this node, if none can be woken; none for those that are gone or elsewhere.
    fn find_all_asleep(&self, image: &Image) -> Option<Vec<Option<Sleep>>> {
        let awake = image.record_of_sleep(self.awake.get());
        awake
            .is_none_or(|record| record.sleep().is_some())
            .then_some(())?;
        image.find_all_asleep().unwrap_or_else(|awake| {
            self.awake.set(awake);
            None
        })
    }
}

impl Image {
    /// Ends the job because no image can go on.
    fn report_deadlock(&self) {
        let text = format!("{OWN_WORDS}{}", Report::new(self).text());
        self.fail_silently(1, text, self.index);
    }

    /// What another image says of its sleep; none if it is gone or elsewhere.
    fn record_of_sleep(&self, index: usize) -> Option<&SleepRecord> {
        let control = self.control(index);
        let is_gone = matches!(control.stage(), Stage::Failed | Stage::Finished);
        let is_here = self.job.nodes.share(self.index, index);
        (!is_gone && is_here).then_some(&control.waiting.sleep)
    }

    /// The sleep of each image of this node, if none can be woken; otherwise one that is awake, or nothing if that is
    /// not certain.
    fn find_all_asleep(&self) -> Result<Option<Vec<Option<Sleep>>>, usize> {
        let image = self;
        let record = |index: usize| image.record_of_sleep(index);
        let region = &image.job.region;
        let alarm = region.job().alarm();
        let has_reached = |place: u64, target: u64| {
            let tally = region.tally_at(place as usize);
            tally.is_some_and(|tally| tally.has_reached(target))
        };
        let sleeps = sleep::find_all_asleep(image.images, record, alarm, has_reached)?;
        // An image is marked as failed before the others are told, which wakes them.
        let failed = (0..image.images)
            .filter(|&index| image.control(index).stage() == Stage::Failed)
            .count();
        let is_told = alarm as usize == failed * ONE_FAILED as usize;
        Ok((is_told && region.job().alarm() == alarm).then_some(sleeps))
    }
}
