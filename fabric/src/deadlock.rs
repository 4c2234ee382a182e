//! Finding out that no image can ever go on, and saying why.
//!
//! If all images are found asleep, and nothing that any of them waits for has come, nothing will ever happen
//! again; `sleep.rs` has the proof. (Sleep with a time limit does not count as sleep.) This holds however long
//! anything takes, so slow computations and slow output are never taken for a deadlock.
//!
//! Of an image that waits for any of several things only one tally can be seen, or none. It looks at all of them itself, each time
//! before it describes its wait anew: what was raised before all were found asleep is seen by then, and nothing was raised since.
//!
//! An image looks around when it has slept for a while. It first suspects a deadlock, and reports it only
//! when all images have described their waits anew since, so that the report is of one moment.
//!
//! Unlike the ring and the lock graph of Roy, Luecke, Coyle and Kraeva (*Scalable deadlock detection*, PGAS
//! 2013), which look at one kind of operation each, this needs no model of what an operation waits for.

mod between_nodes;
mod report;

use std::cell::{Cell, RefCell};

use crate::control::{Failure, ONE_FAILED, Stage};
use crate::deadlock::report::Report;
use crate::failure::OWN_WORDS;
use crate::image::Image;
use crate::job::Job;
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
        if !self.sees_standstill(&image.job, image.index) {
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

    /// Whether no image of the node of image `viewer` can go on, unless another node sends something.
    pub(crate) fn sees_standstill(&self, job: &Job, viewer: usize) -> bool {
        let now = self.find_all_asleep(job, viewer);
        self.standstill.lasts(now.as_deref())
    }

    /// The sleep of each image of this node, if none can be woken; none for those that are gone or elsewhere.
    fn find_all_asleep(&self, job: &Job, viewer: usize) -> Option<Vec<Option<Sleep>>> {
        let awake = job.record_of_sleep(viewer, self.awake.get());
        awake
            .is_none_or(|record| record.sleep().is_some())
            .then_some(())?;
        job.find_all_asleep(viewer).unwrap_or_else(|awake| {
            self.awake.set(awake);
            None
        })
    }
}

/// What image `viewer` reports, as no image can go on.
pub(crate) fn report(job: &Job, viewer: usize) -> Failure {
    Failure {
        image: viewer,
        code: 1,
        text: format!("{OWN_WORDS}{}", Report::new(job).text()),
    }
}

impl Image {
    /// Ends the job because no image can go on.
    fn report_deadlock(&self) {
        let Failure { image, code, text } = report(&self.job, self.index);
        self.fail_silently(code, text, image);
    }
}

impl Job {
    /// What an image says of its sleep to image `viewer`; none if it is gone or elsewhere.
    fn record_of_sleep(&self, viewer: usize, index: usize) -> Option<&SleepRecord> {
        let control = self.region.control(index);
        let is_gone = matches!(control.stage(), Stage::Failed | Stage::Finished);
        let is_here = self.nodes.share(viewer, index);
        (!is_gone && is_here).then_some(&control.waiting.sleep)
    }

    /// The sleep of each image of the node of image `viewer`, if none can be woken; otherwise one that is awake, or nothing if
    /// that is not certain.
    fn find_all_asleep(&self, viewer: usize) -> Result<Option<Vec<Option<Sleep>>>, usize> {
        let images = self.region.dimensions().images;
        let record = |index: usize| self.record_of_sleep(viewer, index);
        let alarm = self.region.job().alarm();
        let has_reached = |place: u64, target: u64| {
            let count = self.region.count_at(place as usize);
            count.is_some_and(|count| count >= target)
        };
        let sleeps = sleep::find_all_asleep(images, record, alarm, has_reached)?;
        // An image is marked as failed before the others are told, which wakes them.
        let failed = (0..images)
            .filter(|&index| self.region.control(index).stage() == Stage::Failed)
            .count();
        let is_told = alarm as usize == failed * ONE_FAILED as usize;
        Ok((is_told && self.region.job().alarm() == alarm).then_some(sleeps))
    }
}
