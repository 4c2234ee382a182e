//! A team's barrier as the algorithms see it, and why an image waits in it.

use crate::call::operation::Operation;
use crate::collective::describe::describe_recorded;
use crate::image::team::Team;
use crate::lockfree::arrival::Arrival;
use crate::lockfree::barrier::Barrier;
use crate::lockfree::barrier::dissemination::Line;
use crate::lockfree::checked_barrier::{BarrierScope, BarrierState};
use crate::waiting::{Cause, Stop, Waiting};

/// What is said of an image there.
pub(crate) const AT_END: &str = "has come to the end of the program";

/// The structures of barrier `number` of a team.
pub(crate) struct TeamScope<'a> {
    pub(super) team: &'a Team,
    pub(super) number: u64,
}

impl<'a> TeamScope<'a> {
    pub(crate) fn waiting(&self, index: usize, survivors: bool) -> Waiting<'a, AtBarrier<'a>> {
        let barrier = AtBarrier {
            team: self.team,
            number: self.number,
            index,
            survivors,
        };
        Waiting::new(self.team.image(), barrier)
    }
}

impl<'team> BarrierScope for TeamScope<'team> {
    type Stop = Stop;
    type WaitStrategy<'a>
        = Waiting<'team, AtBarrier<'team>>
    where
        Self: 'a;

    #[inline]
    fn state(&self, image: usize) -> &BarrierState {
        &self.team.control(image).state
    }

    #[inline]
    fn line(&self, image: usize, set: usize, round: usize) -> &Line {
        &self.team.control(image).lines[set][round]
    }

    fn watch(&self, awaited: usize) -> Waiting<'team, AtBarrier<'team>> {
        self.waiting(awaited, false)
    }

    fn wait_for_one(&self, awaited: usize) -> Waiting<'team, AtBarrier<'team>> {
        self.waiting(awaited, true)
    }

    fn has_failed(&self, image: usize) -> bool {
        self.team.is_gone(image)
    }
}

/// Why an image waits in a barrier: for the image with index `index`, or one after it.
pub(crate) struct AtBarrier<'a> {
    team: &'a Team,
    number: u64,
    index: usize,
    /// Whether failed images are left out.
    survivors: bool,
}

impl AtBarrier<'_> {
    fn arrival(&self, index: usize) -> &Arrival {
        &self.team.control(index).state.arrivals[(self.number & 1) as usize]
    }
}

impl Cause for AtBarrier<'_> {
    fn describe(&self) -> String {
        let (team, image) = (self.team, self.team.image());
        let own = self.arrival(team.index()).signature();
        let (_, signature) = Barrier::of(&team.unmark(team.index(), own));
        if Operation::End.is_in(&signature) {
            return AT_END.into();
        }
        let texts = image.control(image.index).calls.last();
        let call = describe_recorded(signature, texts, team);
        format!("is in {call}")
    }

    /// An image that has not entered, because the image that is waited for may itself wait for that one. Whether images
    /// of other nodes have entered, only the leader knows that sends their arrivals.
    fn awaited(&self) -> Option<usize> {
        let images = self.team.images();
        let absent = (0..images)
            .map(|step| (self.index + step) % images)
            .filter(|&index| self.team.is_local(index))
            .find(|&index| !self.arrival(index).has_entered(self.number));
        Some(self.team.members()[absent.unwrap_or(self.index)] as usize)
    }

    fn has_failed(&self) -> bool {
        if self.survivors {
            self.team.is_gone(self.index)
        } else {
            self.team.is_incomplete()
        }
    }

    fn barrier(&self) -> Option<(u64, u64)> {
        Some((self.team.identity().0, self.number))
    }
}
