//! Whether all images of a node are asleep, and nothing that any of them waits for has arrived.

use std::cell::Cell;

use super::report::Report;
use super::standstill::Standstill;
use crate::job::Job;
use crate::job::control::{Failure, OWN_WORDS, Stage};
use crate::lockfree::sleep::{self, Awaited, Sleep, SleepRecord};

/// What one image knows of the sleeps of all.
#[derive(Default)]
pub(crate) struct Suspicion {
    standstill: Standstill,
    /// An image that was awake at the last search.
    awake: Cell<usize>,
}

impl Suspicion {
    /// Whether no image of the node of image `viewer` can go on unless another node sends something.
    pub(crate) fn sees_standstill(&self, job: &Job, viewer: usize) -> bool {
        let now = self.find_all_asleep(job, viewer);
        self.standstill.lasts(now.as_deref())
    }

    /// The sleep of each image of this node, if no image can wake; none for images that are gone or on other nodes.
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

/// The report of image `viewer` that no image can go on.
pub(crate) fn report(job: &Job, viewer: usize) -> Failure {
    Failure {
        image: viewer,
        code: 1,
        text: format!("{OWN_WORDS}{}", Report::new(job).text()),
    }
}

impl Job {
    /// The sleep that an image has recorded, as image `viewer` sees it; none if it is gone or on another node.
    fn record_of_sleep(&self, viewer: usize, index: usize) -> Option<&SleepRecord> {
        let control = self.region.control(index);
        let is_gone = matches!(control.stage(), Stage::Failed | Stage::Finished);
        let is_here = self.nodes.share(viewer, index);
        (!is_gone && is_here).then_some(&control.waiting.sleep)
    }

    /// The sleep of each image of the node of image `viewer`, if no image can wake. Otherwise an image that is awake,
    /// or none if that is uncertain.
    pub(crate) fn find_all_asleep(
        &self,
        viewer: usize,
    ) -> Result<Option<Vec<Option<Sleep>>>, usize> {
        let images = self.region.dimensions().images;
        let record = |index: usize| self.record_of_sleep(viewer, index);
        let failure_epoch = self.region.job().failure_epoch();
        let has_arrived = |awaited: Awaited| {
            let count = self.region.count_at(awaited.eventcount as usize);
            let signal = self.region.signal_at(awaited.signal as usize);
            count.is_some_and(|count| count >= awaited.target)
                || signal.is_some_and(|signal| signal != awaited.seen)
        };
        let sleeps = sleep::find_all_asleep(images, record, failure_epoch, has_arrived)?;
        // An image is marked as failed before the others are notified, which wakes them.
        let stages = (0..images).map(|index| self.region.control(index).stage());
        let is_told = failure_epoch as usize == self.region.job().failure_epoch_of(stages);
        Ok((is_told && self.region.job().failure_epoch() == failure_epoch).then_some(sleeps))
    }
}
