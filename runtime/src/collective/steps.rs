//! The steps of a turn in which images pass data on: each says how far it has come, and waits for those
//! whose data it needs.
//!
//! A turn is over when its images meet. Until an image is in that meeting, every other is in this turn or has not come
//! to it, so whoever waits for a step finds the awaited turn or an earlier one. With its first step an image
//! says what it is doing, and everyone who waits for it compares: data pass only between images that agree
//! on operation, type, length and root. Whoever waits long also looks whether others have begun another turn, or are in a
//! meeting that is not the end of this one.
//!
//! An image that cannot go on, because another one failed, abandons the turn and tells so whoever waits for
//! it. It still comes to the meeting, which tells all images of the failure alike: the failed one did not come
//! to the end of the turn, so it is missing there.
//!
//! How far an image on another node has come is not seen but asked for: see `steps_apart.rs`.

use std::time::Duration;

use crate::call::Call;
use crate::image::team::Team;
use crate::lockfree::card::Tag;
use crate::lockfree::tally::{self, Patience, Tally, Watch};
use crate::messages::complete::complete;
use crate::waiting::{Cause, Stop, Waiting};

/// How many bits of the count are the step.
pub(crate) const STEP_BITS: u32 = 20;

/// The step of an image that abandoned the turn.
const ABANDONED: u64 = (1 << STEP_BITS) - 1;

/// A turn of steps that this image has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepsBegun {
    turn: u64,
    tag: Tag,
    /// The number and the tag of the meeting at the end.
    end: (u64, Tag),
    /// Whether images on other nodes may wait for steps.
    is_apart: bool,
}

/// The image whose step was awaited does not come to it, as an image has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abandoned;

impl StepsBegun {
    pub(crate) fn count(self, step: u64) -> u64 {
        // The highest bits are not part of a tally's count.
        (self.turn << STEP_BITS | step) & (u64::MAX >> 2)
    }

    /// What the image is doing.
    pub(crate) fn tag(self) -> Tag {
        self.tag
    }
}

impl Team {
    /// Collective. Begins the steps of turn number `turn`, from 1; waits for nobody. The next meeting of this team, for
    /// `end`, ends them.
    ///
    /// # Safety
    /// Only for who began the turn, once in it: others take what it publishes then for what `call` says.
    #[must_use]
    pub unsafe fn begin_steps(&self, turn: usize, call: &Call, end: &Call) -> StepsBegun {
        complete();
        let image = self.image();
        let own = image.control(image.index);
        own.call.write(call, &image.last_call);
        let steps = &self.control(self.index()).steps;
        steps.tag.write(call.tag());
        steps.begun.raise_to(turn as u64);
        let is_apart = self.division().is_some();
        if is_apart {
            image.answer_subscribers();
        }
        StepsBegun {
            turn: turn as u64,
            tag: *call.tag(),
            end: (self.meetings.get() + 1, self.barrier().mark(end.tag())),
            is_apart,
        }
    }

    /// Says that this image has come to `step`, from 1. Everything written before is visible to whoever waits for
    /// it.
    ///
    /// # Panics
    /// If there are too many steps.
    ///
    /// # Safety
    /// In that turn, and the data that others get once they have seen the step are there; nobody writes them again before
    /// the turn is over.
    #[inline]
    pub unsafe fn take_step(&self, begun: StepsBegun, step: usize) {
        assert!((step as u64) < ABANDONED, "a turn of {step} steps");
        let steps = &self.control(self.index()).steps;
        steps.count.raise_to(begun.count(step as u64));
        if begun.is_apart {
            self.image().answer_subscribers();
        }
    }

    /// Gives up the turn. To be followed by the meeting at its end.
    ///
    /// # Safety
    /// In that turn.
    #[cold]
    pub unsafe fn abandon_steps(&self, begun: StepsBegun) {
        let steps = &self.control(self.index()).steps;
        steps.count.raise_to(begun.count(ABANDONED));
        if begun.is_apart {
            self.image().answer_subscribers();
        }
    }

    /// Waits until the image with index `from`, which is [near](Self::is_near), has come to `step`, then sees everything
    /// that it wrote before.
    ///
    /// If it is in another call, the job ends with a report.
    ///
    /// # Errors
    /// If it will not come to that step.
    #[inline]
    pub fn await_step(
        &self,
        from: usize,
        begun: StepsBegun,
        step: usize,
        call: &Call,
    ) -> Result<(), Abandoned> {
        let steps = &self.control(from).steps;
        let target = begun.count(step as u64);
        self.wait_attentively(&steps.count, target, from, begun, call)?;
        self.compare_steps(from, begun, target, steps.count.count(), steps.tag.read())
    }

    /// Waits until `tally` has reached `target`, which says how far the image with index `from` has come.
    #[inline]
    pub(crate) fn wait_attentively(
        &self,
        tally: &Tally,
        target: u64,
        from: usize,
        begun: StepsBegun,
        call: &Call,
    ) -> Result<(), Abandoned> {
        let patience = self.image().backoff.patience();
        let passed = tally::until(tally, target, patience, || Attentive {
            team: self,
            begun,
            watch: Waiting::new(
                self.image(),
                Step {
                    team: self,
                    from,
                    call,
                },
            ),
        });
        match passed {
            Ok(()) => Ok(()),
            // It may have taken the step just before its failure was noticed.
            Err(Obstacle::Stopped(Stop::Failed)) if tally.has_reached(target) => Ok(()),
            Err(Obstacle::Stopped(Stop::Failed)) => Err(Abandoned),
            Err(Obstacle::Stopped(_)) => self.image().unwind(),
            Err(Obstacle::HasMet) => self.refuse_meeting(call),
            Err(Obstacle::Elsewhere(image, tag)) => self.disagree_by_tags(begun.tag, image, tag),
        }
    }

    /// Compares what this image is doing with what the one with index `from` is doing, which has come so far.
    #[inline]
    pub(crate) fn compare_steps(
        &self,
        from: usize,
        begun: StepsBegun,
        target: u64,
        reached: u64,
        tag: Tag,
    ) -> Result<(), Abandoned> {
        if reached >> STEP_BITS != target >> STEP_BITS || tag != begun.tag {
            self.disagree_by_tags(begun.tag, from, tag);
        }
        if reached & ABANDONED == ABANDONED {
            return Err(Abandoned);
        }
        Ok(())
    }
}

/// Why an image does not come to the step that it waits for.
enum Obstacle {
    Stopped(Stop),
    /// This image itself has met others, by what it called in the middle of the turn.
    HasMet,
    /// An image is in another meeting than that at the end of the turn, or has begun another turn.
    Elsewhere(usize, Tag),
}

/// Waits for a step, and looks for images that are elsewhere before it sleeps.
struct Attentive<'a> {
    team: &'a Team,
    begun: StepsBegun,
    watch: Waiting<'a, Step<'a>>,
}

impl Watch for Attentive<'_> {
    type Stop = Obstacle;

    fn look(&self) -> Result<(), Obstacle> {
        let (number, end) = self.begun.end;
        if self.team.meetings() >= number {
            return Err(Obstacle::HasMet);
        }
        for image in 0..self.team.images() {
            let control = self.team.control(image);
            let card = &control.station.cards[(number & 1) as usize];
            if card.has_entered(number) && !card.agrees(&end) {
                return Err(Obstacle::Elsewhere(image, card.tag()));
            }
            let (steps, own) = (&control.steps, self.begun);
            if steps.begun.count() == own.turn && steps.tag.read() != own.tag {
                return Err(Obstacle::Elsewhere(image, steps.tag.read()));
            }
        }
        self.watch.look().map_err(Obstacle::Stopped)
    }

    fn offers(&self, patience: Patience) -> u32 {
        self.watch.offers(patience)
    }

    fn offer_core(&self) -> bool {
        self.watch.offer_core()
    }

    fn nap(&self) -> Duration {
        self.watch.nap()
    }

    fn lie_down(&self, tally: &Tally, target: u64) {
        self.watch.lie_down(tally, target);
    }

    fn turn_over(&self) -> Result<(), Obstacle> {
        self.watch.turn_over().map_err(Obstacle::Stopped)
    }

    fn rise(&self) {
        self.watch.rise();
    }
}

/// Why an image waits for the step of another.
struct Step<'a> {
    team: &'a Team,
    from: usize,
    call: &'a Call,
}

impl Cause for Step<'_> {
    fn words(&self) -> String {
        format!("is in {}", self.call.describe(self.team))
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.team.members()[self.from] as usize)
    }

    fn has_failed(&self) -> bool {
        self.team.is_failed(self.from)
    }
}
