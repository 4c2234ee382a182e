//! The steps of an epoch in which images forward data: each image publishes its step, and waits for the steps of the
//! images whose data it needs.
//!
//! An epoch ends in a barrier. Until an image has entered that barrier, every other image is in this epoch or before
//! it, so an image that waits for a step finds the awaited epoch or an earlier one. With its first step an image
//! publishes its signature, and every waiter compares it: data pass only between images that agree on operation, type,
//! length and root. A waiter that sleeps also checks whether other images have begun another epoch, or are in a barrier
//! that is not the end of this one.
//!
//! An image that cannot go on, because another one failed, abandons the epoch, which its waiters see. It still enters
//! the barrier at the end. That barrier reports the failure to all images alike: the failed image did not come to the
//! end of the epoch, so it is missing there.
//!
//! To images on other nodes an image pushes its steps: see `steps_between_nodes.rs`.

use std::time::Instant;

use crate::call::Call;
use crate::collective::barrier::disagree_by_signatures;
use crate::collective::steps_between_nodes::{answer_announcements, push_abandonment};
use crate::image::team::Team;
use crate::job::control::steps::{ABANDONED, abandoned, count, is_abandoned, turn_of};
use crate::lockfree::arrival::Signature;
use crate::lockfree::eventcount::{self, Around, Eventcount, WaitStrategy};
use crate::messages::quiet::quiet;
use crate::waiting::{Cause, Stop, Waiting};

/// An epoch with steps that this image has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepsBegun {
    turn: u64,
    signature: Signature,
    /// The number and the signature of the barrier at the end.
    end: (u64, Signature),
    /// Whether the team has images on other nodes, to which steps are pushed.
    spans_nodes: bool,
}

/// The awaited image does not come to its step, because an image has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abandoned;

impl StepsBegun {
    pub(crate) fn count(self, step: u64) -> u64 {
        count(self.turn, step)
    }

    /// The number of the epoch.
    pub(crate) fn turn(self) -> u64 {
        self.turn
    }

    /// Whether the team has images on other nodes, to which [steps are pushed](Team::push_step).
    #[inline]
    #[must_use]
    pub fn spans_nodes(self) -> bool {
        self.spans_nodes
    }

    /// The operation that the image is in.
    pub(crate) fn signature(self) -> Signature {
        self.signature
    }
}

impl Team {
    /// Collective. Begins the steps of epoch number `turn`, from 1. Does not wait. The next barrier of this team, for
    /// `end`, ends them.
    ///
    /// # Safety
    /// The caller has begun this epoch, and calls this once in it: other images read what it publishes as what `call`
    /// says.
    #[must_use]
    pub unsafe fn begin_steps(&self, turn: usize, call: &Call, end: &Call) -> StepsBegun {
        quiet();
        let image = self.image();
        let own = image.control(image.index);
        own.calls.write(call, &image.last_call);
        image.profile_call(call);
        let steps = &self.control(self.index()).steps;
        steps.signature.write(call.signature());
        steps.begun.advance_to(turn as u64);
        let spans_nodes = self.node_map().is_some();
        if spans_nodes {
            answer_announcements(self, turn as u64);
        }
        StepsBegun {
            turn: turn as u64,
            signature: *call.signature(),
            end: (
                self.barriers.get() + 1,
                self.mark(self.barrier_algorithm(), end),
            ),
            spans_nodes,
        }
    }

    /// Publishes that this image has come to `step`, from 1. Everything that it wrote before is visible to an image
    /// of this node that waits for the step.
    ///
    /// # Panics
    /// If there are too many steps.
    ///
    /// # Safety
    /// In this epoch, and the data that other images read after this step are written; no image writes them again
    /// before the epoch is over.
    #[inline]
    pub unsafe fn take_step(&self, begun: StepsBegun, step: usize) {
        assert!((step as u64) < ABANDONED, "a turn of {step} steps");
        let steps = &self.control(self.index()).steps;
        steps.count.advance_to(begun.count(step as u64));
    }

    /// Abandons the epoch. The barrier at its end follows.
    ///
    /// # Safety
    /// In this epoch.
    #[cold]
    pub unsafe fn abandon_steps(&self, begun: StepsBegun) {
        let steps = &self.control(self.index()).steps;
        steps.count.advance_to(abandoned(begun.turn));
        if begun.spans_nodes {
            push_abandonment(self, begun);
        }
    }

    /// Waits until the image with index `from`, which is [local](Self::is_local), has come to `step`. Then everything
    /// that it wrote before is visible.
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
        wait_for_step(self, &steps.count, target, from, begun, call, None)?;
        compare_steps(
            self,
            from,
            begun,
            target,
            steps.count.count(),
            steps.signature.read(),
        )
    }
}

/// Waits until `eventcount`, the step of the image with index `from`, has reached `target`, or the deadline has passed.
#[inline]
pub(crate) fn wait_for_step(
    here: &Team,
    eventcount: &Eventcount,
    target: u64,
    from: usize,
    begun: StepsBegun,
    call: &Call,
    deadline: Option<Instant>,
) -> Result<(), Abandoned> {
    let patience = here.image().backoff.patience();
    let passed = eventcount::until(eventcount, target, patience, || StepWait {
        team: here,
        begun,
        watch: Waiting::new(
            here.image(),
            Step {
                team: here,
                from,
                call,
                deadline,
            },
        ),
    });
    match passed {
        Ok(()) | Err(Obstacle::Stopped(Stop::TimedOut)) => Ok(()),
        // It may have come to the step just before its failure was noticed.
        Err(Obstacle::Stopped(Stop::Failed)) if eventcount.has_reached(target) => Ok(()),
        Err(Obstacle::Stopped(Stop::Failed)) => Err(Abandoned),
        Err(Obstacle::Stopped(Stop::Ended)) => here.image().unwind(),
        Err(Obstacle::BarrierEntered) => here.refuse_barrier(call),
        Err(Obstacle::Mismatch(image, signature)) => {
            disagree_by_signatures(here, begun.signature, image, signature)
        }
    }
}

/// Compares the signature of this image with that of the image with index `from`, which has published its own.
#[inline]
pub(crate) fn compare_steps(
    team: &Team,
    from: usize,
    begun: StepsBegun,
    target: u64,
    reached: u64,
    signature: Signature,
) -> Result<(), Abandoned> {
    if turn_of(reached) != turn_of(target) || signature != begun.signature {
        disagree_by_signatures(team, begun.signature, from, signature);
    }
    if is_abandoned(reached) {
        return Err(Abandoned);
    }
    Ok(())
}

/// Why the awaited image does not come to its step.
enum Obstacle {
    Stopped(Stop),
    /// This image itself has passed a barrier, by a call in the middle of the epoch.
    BarrierEntered,
    /// An image is in a barrier other than the one at the end of the epoch, or has begun another epoch.
    Mismatch(usize, Signature),
}

/// Waits for a step. Before it sleeps it checks whether images are in another epoch or barrier.
struct StepWait<'a> {
    team: &'a Team,
    begun: StepsBegun,
    watch: Waiting<'a, Step<'a>>,
}

impl<'a> Around for StepWait<'a> {
    type Inner = Waiting<'a, Step<'a>>;
    type Stop = Obstacle;

    fn inner(&self) -> &Waiting<'a, Step<'a>> {
        &self.watch
    }

    fn stop(stop: Stop) -> Obstacle {
        Obstacle::Stopped(stop)
    }

    fn check(&self) -> Result<(), Obstacle> {
        let (number, end) = self.begun.end;
        if self.team.barriers() >= number {
            return Err(Obstacle::BarrierEntered);
        }
        for image in 0..self.team.images() {
            let control = self.team.control(image);
            let arrival = &control.state.arrivals[(number & 1) as usize];
            if arrival.has_entered(number) && !arrival.agrees(&end) {
                let theirs = self.team.unmark(image, arrival.signature());
                return Err(Obstacle::Mismatch(image, theirs));
            }
            let (steps, own) = (&control.steps, self.begun);
            if steps.begun.count() == own.turn && steps.signature.read() != own.signature {
                return Err(Obstacle::Mismatch(image, steps.signature.read()));
            }
        }
        self.watch.check().map_err(Obstacle::Stopped)
    }
}

/// Why an image waits for the step of another.
struct Step<'a> {
    team: &'a Team,
    from: usize,
    call: &'a Call,
    deadline: Option<Instant>,
}

impl Cause for Step<'_> {
    fn describe(&self) -> String {
        format!("is in {}", self.call.describe(self.team))
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.team.members()[self.from] as usize)
    }

    fn has_failed(&self) -> bool {
        self.team.is_gone(self.from)
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}
