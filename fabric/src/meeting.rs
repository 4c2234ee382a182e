//! How the images of a team meet: the checked barrier, with what becomes of images that disagree or have failed.

use crate::call::{Call, Operation};
use crate::control::Stage;
use crate::failure;
use crate::published::PUBLISHED;
use crate::rendezvous::{self, Passage, Refusal};
use crate::shared_memory::complete;
use crate::status::{self, ImageFailed};
use crate::team::Team;
use crate::waiting::{Cause, Stop, Waiting};

/// What becomes of an operation when images have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The job ends.
    EndsJob,
    /// It returns an error.
    IsAnError,
    /// The others go on without them.
    IsAccepted,
}

impl Team {
    /// Collective. Waits until every image of the team is in the same call; everything an image wrote before,
    /// and all operations it issued, are visible to all afterwards.
    ///
    /// If an image is in another call, or has failed, the job ends with a report. If the job has ended, the
    /// image unwinds.
    ///
    /// # Safety
    /// Other layers rely on what an image in this call has done, such as given up its references or
    /// written its part: the caller has done it.
    #[inline]
    pub unsafe fn meet(&self, call: &Call) {
        // SAFETY: passed on.
        if let Err(failed) = unsafe { self.try_meet(call) } {
            self.fail_because(&failed, &call.describe(self));
        }
    }

    /// Collective. As [`meet`](Self::meet), but failed images do not end the job.
    ///
    /// # Errors
    /// The images that failed before they came to this call; on all others alike, which have met.
    ///
    /// # Safety
    /// As [`meet`](Self::meet).
    pub unsafe fn try_meet(&self, call: &Call) -> Result<(), ImageFailed> {
        let image = &**self.image();
        complete();
        let alarm = image.job.region.job().alarm();
        image
            .control(image.index)
            .call
            .write(call, &image.last_call);
        let number = self.barriers.get() + 1;
        self.barriers.set(number);
        let passage = Passage {
            me: self.index(),
            images: self.images(),
            number,
            tag: call.tag(),
            patience: image.job.patience,
        };
        self.control(self.index()).arrival.enter(number, call.tag());
        let is_quiet = alarm == self.alarm.get() && !self.has_failed.get();
        if !is_quiet && self.is_alarmed() {
            return self.meet_survivors(&passage);
        }
        match self.pass(&passage) {
            Ok(()) => Ok(()),
            Err(refusal) => self.stuck(&passage, refusal),
        }
    }

    /// Whether images of the team have failed. If the job has ended, the image unwinds.
    #[cold]
    fn is_alarmed(&self) -> bool {
        if self.image().job.has_ended() {
            failure::unwind();
        }
        self.has_failed_images()
    }

    #[inline]
    fn pass(&self, passage: &Passage<'_>) -> Result<(), Refusal<Stop>> {
        rendezvous::meet(
            passage,
            |index, set, round| &self.control(index).lines[set][round],
            |behind| self.waiting_for(behind, passage.number, false),
        )
    }

    fn waiting_for(&self, index: usize, number: u64, survivors: bool) -> Waiting<'_, Meeting<'_>> {
        let meeting = Meeting {
            team: self,
            number,
            index,
            survivors,
        };
        Waiting::new(self.image(), meeting)
    }

    /// What to do about a barrier that the image did not simply pass.
    #[cold]
    fn stuck(&self, passage: &Passage<'_>, refusal: Refusal<Stop>) -> Result<(), ImageFailed> {
        match refusal {
            Refusal::Stopped(Stop::Failed) => self.meet_survivors(passage),
            Refusal::Stopped(_) => failure::unwind(),
            Refusal::Mismatch { image } => self.mismatch(image, passage.number),
        }
    }

    fn meet_survivors(&self, passage: &Passage<'_>) -> Result<(), ImageFailed> {
        let met = rendezvous::meet_survivors(
            passage,
            |index| &self.control(index).arrival,
            |index| self.is_failed(index),
            |index| self.waiting_for(index, passage.number, true),
        );
        match met {
            Ok(missing) if missing.is_empty() => Ok(()),
            Ok(images) => Err(ImageFailed::new(images)),
            Err(refusal) => self.stuck(passage, refusal),
        }
    }

    #[cold]
    fn mismatch(&self, other: usize, number: u64) -> ! {
        let describe = |index: usize| {
            let tag = self.control(index).arrival.tag(number);
            let image = self.members()[index] as usize;
            (image, self.image().control(image).call.describe(tag, self))
        };
        self.disagree([describe(self.index()), describe(other)])
    }

    /// Ends the job because images failed that `operation` needs.
    #[cold]
    pub fn fail_because(&self, failed: &ImageFailed, operation: &str) -> ! {
        let numbers: Vec<usize> = failed
            .images
            .iter()
            .map(|&index| self.members()[index] as usize)
            .collect();
        self.image().fail(format!(
            "cannot complete {operation}: {}",
            status::have_failed(&numbers)
        ))
    }

    /// Publishes words for the others to read after the next meeting. The same words stay readable until the
    /// meeting after that one.
    pub(crate) fn publish(&self, words: [u64; PUBLISHED]) {
        let control = self.control(self.index());
        control.published.write(self.barriers.get() + 1, words);
    }

    /// What the image with that index published with the last meeting, in which it took part.
    pub(crate) fn published(&self, index: usize) -> [u64; PUBLISHED] {
        self.control(index).published.read(self.barriers.get())
    }

    /// Collective. Publishes words and meets the others.
    ///
    /// Returns the indices of those who take part.
    ///
    /// # Errors
    /// The images that failed before, if their absence is an error.
    ///
    /// # Safety
    /// As [`meet`](Self::meet).
    pub(crate) unsafe fn exchange(
        &self,
        call: &Call,
        words: [u64; PUBLISHED],
        absence: Absence,
    ) -> Result<Vec<usize>, ImageFailed> {
        self.publish(words);
        // SAFETY: passed on.
        let missing = match (unsafe { self.try_meet(call) }, absence) {
            (Ok(()), _) => Vec::new(),
            (Err(failed), Absence::IsAccepted) => failed.images,
            (Err(failed), Absence::IsAnError) => return Err(failed),
            (Err(failed), Absence::EndsJob) => self.fail_because(&failed, &call.describe(self)),
        };
        Ok((0..self.images())
            .filter(|index| !missing.contains(index))
            .collect())
    }

    /// Collective. Lets the program end: waits for all other images that have not failed.
    pub(crate) fn finish(&self, call: &Call) {
        self.image()
            .control(self.image().index)
            .set_stage(Stage::Stopped);
        // SAFETY: the end of the program promises nothing to anyone.
        let _ = unsafe { self.try_meet(call) };
    }
}

/// Why an image waits in a barrier: for the image with that index.
struct Meeting<'a> {
    team: &'a Team,
    number: u64,
    index: usize,
    /// Whether failed images are not missed.
    survivors: bool,
}

impl Cause for Meeting<'_> {
    fn words(&self) -> String {
        let (team, image) = (self.team, self.team.image());
        let tag = team.control(team.index()).arrival.tag(self.number);
        if Operation::End.is_in(&tag) {
            return "has come to the end of the program".into();
        }
        let call = image.control(image.index).call.describe(tag, team);
        format!("is in {call}")
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.team.members()[self.index] as usize)
    }

    fn has_failed(&self) -> bool {
        if self.survivors {
            self.team.is_failed(self.index)
        } else {
            self.team.has_failed_images()
        }
    }

    fn barrier(&self) -> Option<(u64, u64)> {
        Some((self.team.identity().0, self.number))
    }
}
