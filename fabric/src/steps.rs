//! The steps of a turn in which images pass data on: each says how far it has come, and waits for those
//! whose data it needs.
//!
//! A turn is over when its images meet. Until an image is in that meeting, every other is in this turn or has not come
//! to it, so whoever waits for a step finds the awaited turn or an earlier one. With its first step an image
//! says what it is doing, and everyone who waits for it compares: data pass only between images that agree
//! on operation, type, length and root.
//!
//! An image that cannot go on, because another one failed, abandons the turn and tells so whoever waits for
//! it. It still comes to the meeting, which tells all images of the failure alike: the failed one did not come
//! to the end of the turn, so it is missing there.

use crate::call::Call;
use crate::card::{Tag, Words};
use crate::shared_memory::complete;
use crate::tally::Tally;
use crate::team::Team;
use crate::waiting::Cause;

/// How many bits of the count are the step.
const STEP_BITS: u32 = 20;

/// The step of an image that abandoned the turn.
const ABANDONED: u64 = (1 << STEP_BITS) - 1;

/// How far an image has come in its turn: one cache line, written by that image, read by any.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Steps {
    /// The turn, and the step in it.
    count: Tally,
    tag: Words<4>,
}

/// A turn of steps that this image has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepsBegun {
    turn: u64,
    tag: Tag,
}

/// The image whose step was awaited does not come to it, as an image has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abandoned;

impl StepsBegun {
    fn count(self, step: u64) -> u64 {
        // The highest bits are not part of a tally's count.
        (self.turn << STEP_BITS | step) & (u64::MAX >> 2)
    }
}

impl Team {
    /// Collective. Begins the steps of turn number `turn`, from 1; waits for nobody. The next meeting of this team
    /// ends them.
    #[must_use]
    pub fn begin_steps(&self, turn: usize, call: &Call) -> StepsBegun {
        complete();
        let image = self.image();
        let own = image.control(image.index);
        own.call.write(call, &image.last_call);
        let steps = &self.control(self.index()).steps;
        steps.tag.write(call.tag());
        StepsBegun {
            turn: turn as u64,
            tag: *call.tag(),
        }
    }

    /// Says that this image has come to `step`, from 1. Everything written before is visible to whoever waits for
    /// it.
    ///
    /// # Panics
    /// If there are too many steps.
    #[inline]
    pub fn take_step(&self, begun: StepsBegun, step: usize) {
        assert!((step as u64) < ABANDONED, "a turn of {step} steps");
        let steps = &self.control(self.index()).steps;
        steps.count.raise_to(begun.count(step as u64));
    }

    /// Gives up the turn. To be followed by the meeting at its end.
    #[cold]
    pub fn abandon_steps(&self, begun: StepsBegun) {
        let steps = &self.control(self.index()).steps;
        steps.count.raise_to(begun.count(ABANDONED));
    }

    /// Waits until the image with index `from` has come to `step`, then sees everything that it wrote before.
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
        let cause = Step {
            team: self,
            from,
            call,
        };
        if self.image().wait(&steps.count, target, cause).is_err() {
            return Err(Abandoned);
        }
        let (reached, tag) = (steps.count.count(), steps.tag.read());
        if reached >> STEP_BITS != target >> STEP_BITS || tag != begun.tag {
            self.disagree(begun.tag, from, tag);
        }
        if reached & ABANDONED == ABANDONED {
            return Err(Abandoned);
        }
        Ok(())
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
