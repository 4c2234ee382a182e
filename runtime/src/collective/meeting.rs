//! How the images of a team meet: the checked barrier, with what becomes of images that disagree or have failed.

use std::ops::Range;
use std::thread;

use crate::call::operation::Operation;
use crate::call::{Call, OBJECT};
use crate::image::team::Team;
use crate::job::control::Stage;
use crate::job::image_failed::{ImageFailed, have_failed};
use crate::lockfree::barrier::Barrier;
use crate::lockfree::barrier::dissemination::Line;
use crate::lockfree::barrier::flat;
use crate::lockfree::card::{Card, Tag, WORDS};
use crate::lockfree::rendezvous::{self, Passage, Place, Refusal, Station};
use crate::lockfree::tally::Patience;
use crate::messages::complete::complete;
use crate::messages::complete::complete_and_defer;
use crate::waiting::{Cause, Stop, Waiting};
use coarray_fabric::transport::deferral::Deferral;

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
    #[inline]
    pub unsafe fn try_meet(&self, call: &Call) -> Result<(), ImageFailed> {
        self.go_through(call, self.barrier(), |_| ())
    }

    /// Collective. As [`try_meet`](Self::try_meet), by this barrier, which must be the same on all images.
    ///
    /// # Errors
    /// As [`try_meet`](Self::try_meet).
    ///
    /// # Safety
    /// As [`meet`](Self::meet).
    pub unsafe fn try_meet_by(&self, call: &Call, barrier: Barrier) -> Result<(), ImageFailed> {
        self.go_through(call, self.possible(barrier), |_| ())
    }

    /// Collective. As [`try_meet`](Self::try_meet), and brings words that all images can read afterwards with
    /// [`words`](Self::words): until the deferral ends, and wakers of the program may make the images meet again.
    ///
    /// # Errors
    /// As [`try_meet`](Self::try_meet).
    ///
    /// # Safety
    /// As [`meet`](Self::meet).
    #[inline]
    pub unsafe fn try_meet_with(
        &self,
        _deferral: &Deferral,
        call: &Call,
        words: [u64; WORDS],
    ) -> Result<(), ImageFailed> {
        self.words.set(words);
        self.go_through(call, self.barrier(), |card| card.bring(&words))
    }

    /// Enters the next meeting and passes its barrier. What only a long wait needs is left to [`pass`](Self::pass): the
    /// fewer instructions lie between two barriers, the earlier the others learn of the second.
    #[inline]
    fn go_through(
        &self,
        call: &Call,
        barrier: Barrier,
        bring: impl FnOnce(&Card),
    ) -> Result<(), ImageFailed> {
        let image = &**self.image();
        complete();
        image.collect_many_payloads();
        let alarm = image.job.region.job().alarm();
        if !image.last_call.is_like(call) || thread::panicking() {
            image.tell(call);
        }
        let number = self.meetings.get() + 1;
        self.meetings.set(number);
        let tag = barrier.mark(call.tag());
        let card = |index| &self.control(index).station.cards[(number & 1) as usize];
        let me = self.index();
        let own = card(me);
        bring(own);
        own.enter(number, &tag);
        let is_quiet = alarm == self.alarm.get() && !self.has_failed.get();
        let mut patience = image.backoff.patience();
        if barrier == Barrier::Flat && is_quiet {
            let come_soon = |mut others: Range<usize>| {
                others.all(|index| flat::comes_soon(card(index), number, &tag, patience.spins))
            };
            if come_soon(me + 1..self.images()) && come_soon(0..me) {
                return Ok(());
            }
            // Enough of that.
            patience.spins = 0;
        }
        self.pass(number, tag, barrier, patience, is_quiet)
    }

    /// Passes the barrier of the meeting that the image has entered, however long it takes.
    #[inline(never)]
    fn pass(
        &self,
        number: u64,
        tag: Tag,
        barrier: Barrier,
        patience: Patience,
        is_quiet: bool,
    ) -> Result<(), ImageFailed> {
        // Between the count of a meeting and its end no waker enters another one; nothing before this wakes any.
        let _deferral = Deferral::new();
        let passage = Passage {
            me: self.index(),
            images: self.images(),
            number,
            tag,
            patience,
            place: Hall { team: self, number },
        };
        if !is_quiet && self.is_alarmed() {
            return self.meet_survivors(&passage);
        }
        let met = match self.division() {
            Some(division) => self.meet_apart(division, &passage),
            None => rendezvous::meet(&passage, barrier),
        };
        match met {
            Ok(()) => Ok(()),
            Err(refusal) => self.stuck(&passage, refusal),
        }
    }

    /// What the image with that index brought to the last meeting, in which it took part. It stays readable
    /// until this image enters the next.
    #[inline]
    #[must_use]
    pub fn words(&self, index: usize) -> [u64; WORDS] {
        if index == self.index() {
            // The card's line has gone to the others.
            return self.words.get();
        }
        let parity = (self.meetings.get() & 1) as usize;
        self.control(index).station.cards[parity].words()
    }

    /// Whether images of the team have failed. If the job has ended, the image unwinds.
    #[cold]
    fn is_alarmed(&self) -> bool {
        if self.image().job.has_ended() {
            self.image().unwind();
        }
        self.has_failed_images()
    }

    /// What to do about a barrier that the image did not simply pass.
    #[cold]
    fn stuck(
        &self,
        passage: &Passage<Hall<'_>>,
        refusal: Refusal<Stop>,
    ) -> Result<(), ImageFailed> {
        match refusal {
            Refusal::Stopped(Stop::Failed) => self.meet_survivors(passage),
            Refusal::Stopped(_) => self.image().unwind(),
            Refusal::Mismatch { image } => self.mismatch(image, passage),
        }
    }

    #[cold]
    fn meet_survivors(&self, passage: &Passage<Hall<'_>>) -> Result<(), ImageFailed> {
        match rendezvous::meet_survivors(passage) {
            Ok(missing) if missing.is_empty() => Ok(()),
            Ok(images) => Err(ImageFailed::new(images)),
            Err(refusal) => self.stuck(passage, refusal),
        }
    }

    #[cold]
    fn mismatch(&self, other: usize, passage: &Passage<Hall<'_>>) -> ! {
        let [mine, theirs] = [self.index(), other].map(|index| passage.card(index).tag());
        self.disagree_by_tags(mine, other, theirs)
    }

    /// Ends the job because this image is in the operation that one tag names, and another one in that of another
    /// tag.
    #[cold]
    pub(crate) fn disagree_by_tags(&self, mine: Tag, other: usize, theirs: Tag) -> ! {
        let tags = [mine, theirs];
        let [(barrier, _), (other_barrier, _)] = tags.each_ref().map(Barrier::of);
        // Alike, but for the number of what is created.
        let is_other_object = creates(&mine) && mine[..OBJECT] == theirs[..OBJECT];
        let describe = |index: usize, tag| {
            let (by, plain) = Barrier::of(&tag);
            let image = self.members()[index] as usize;
            self.image().refresh_call(image);
            let mut words = self.image().control(image).call.describe(plain, self);
            if barrier != other_barrier {
                words += &format!(", by the {} barrier", by.name());
            }
            if is_other_object {
                words += &format!(", its object number {}", tag[OBJECT]);
            }
            (image, words)
        };
        self.disagree([describe(self.index(), tags[0]), describe(other, tags[1])])
    }

    /// Ends the job because two images, given by their numbers, are in these different calls.
    #[cold]
    pub(crate) fn disagree(&self, mut both: [(usize, String); 2]) -> ! {
        both.sort_unstable();
        let [(low, calls), (high, other_calls)] = both;
        self.image().fail_silently(
            1,
            format!(
                "and image {high} are in different collective operations\n  image {low}: {calls}\n  image {high}: {other_calls}\n\
                 every image must make the same collective calls in the same order",
            ),
            low,
        );
        self.image().unwind()
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
            have_failed(&numbers)
        ))
    }

    /// Collective. Brings words and meets the others.
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
        deferral: &Deferral,
        call: &Call,
        words: [u64; WORDS],
        absence: Absence,
    ) -> Result<Vec<usize>, ImageFailed> {
        // SAFETY: passed on.
        let missing = match (
            unsafe { self.try_meet_with(deferral, call, words) },
            absence,
        ) {
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
        let _deferral = complete_and_defer();
        self.image().come_to(Stage::Stopped);
        // SAFETY: the end of the program promises nothing to anyone.
        let _ = unsafe { self.try_meet(call) };
    }
}

/// Whether a tag is of an operation that creates an object.
fn creates(tag: &Tag) -> bool {
    use Operation::{Create, CreatePart, FormTeam};
    [Create, CreatePart, FormTeam]
        .iter()
        .any(|one| one.is_in(tag))
}

/// Where the images of a team meet for the time of that number.
struct Hall<'a> {
    team: &'a Team,
    number: u64,
}

impl<'a> Hall<'a> {
    fn waiting(&self, index: usize, survivors: bool) -> Waiting<'a, Meeting<'a>> {
        let meeting = Meeting {
            team: self.team,
            number: self.number,
            index,
            survivors,
        };
        Waiting::new(self.team.image(), meeting)
    }
}

impl<'team> Place for Hall<'team> {
    type Stop = Stop;
    type Watch<'a>
        = Waiting<'team, Meeting<'team>>
    where
        Self: 'a;

    #[inline]
    fn station(&self, image: usize) -> &Station {
        &self.team.control(image).station
    }

    #[inline]
    fn line(&self, image: usize, set: usize, round: usize) -> &Line {
        &self.team.control(image).lines[set][round]
    }

    fn watch(&self, awaited: usize) -> Waiting<'team, Meeting<'team>> {
        self.waiting(awaited, false)
    }

    fn watch_one(&self, awaited: usize) -> Waiting<'team, Meeting<'team>> {
        self.waiting(awaited, true)
    }

    fn has_failed(&self, image: usize) -> bool {
        self.team.is_failed(image)
    }
}

/// Why an image waits in a barrier: for the image with that index, or for one after it.
struct Meeting<'a> {
    team: &'a Team,
    number: u64,
    index: usize,
    /// Whether failed images are not missed.
    survivors: bool,
}

impl Meeting<'_> {
    fn card(&self, index: usize) -> &Card {
        &self.team.control(index).station.cards[(self.number & 1) as usize]
    }
}

impl Cause for Meeting<'_> {
    fn words(&self) -> String {
        let (team, image) = (self.team, self.team.image());
        let (_, tag) = Barrier::of(&self.card(team.index()).tag());
        if Operation::End.is_in(&tag) {
            return "has come to the end of the program".into();
        }
        let call = image.control(image.index).call.describe(tag, team);
        format!("is in {call}")
    }

    /// An image that has not come, as whoever is waited for may itself wait for that one.
    fn awaited(&self) -> Option<usize> {
        let images = self.team.images();
        let absent = (0..images)
            .map(|step| (self.index + step) % images)
            .find(|&index| !self.card(index).has_entered(self.number));
        Some(self.team.members()[absent.unwrap_or(self.index)] as usize)
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
