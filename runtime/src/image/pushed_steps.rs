//! Steps that images on other nodes have pushed to this one; `steps_between_nodes.rs` has the protocol.

use std::cell::RefCell;

use crate::job::control::steps::is_abandoned;
use crate::lockfree::arrival::Signature;
use crate::lockfree::eventcount::Eventcount;

/// The steps that were pushed to an image and that it has not taken.
///
/// They are few: an image pushes only what the receiver waits for in the same epoch, and no image is more than one
/// epoch ahead of another.
#[derive(Debug, Default)]
pub(crate) struct PushedSteps {
    /// How many have arrived since the job began.
    pub(crate) arrived: Eventcount,
    held: RefCell<Vec<PushedStep>>,
}

/// A step of an image on another node.
#[derive(Debug)]
pub(crate) struct PushedStep {
    /// The number of that image.
    pub(crate) from: usize,
    /// The offset of the control structure of the team in each part.
    pub(crate) team: u64,
    /// The epoch and the step.
    pub(crate) count: u64,
    /// The operation that the image is in.
    pub(crate) signature: Signature,
    /// The place of the piece in the scratch space: offset and length.
    pub(crate) place: [u64; 2],
    /// The piece, if it is not longer than the eager limit.
    pub(crate) bytes: Box<[u8]>,
}

impl PushedSteps {
    pub(crate) fn hold(&self, step: PushedStep) {
        self.held.borrow_mut().push(step);
        self.arrived.add(1);
    }

    /// Takes the step with this count that has the piece at `place`, or the notice that the image does not come to it.
    pub(crate) fn take(
        &self,
        team: u64,
        from: usize,
        count: u64,
        place: [u64; 2],
    ) -> Option<PushedStep> {
        let mut held = self.held.borrow_mut();
        let is_it = |step: &PushedStep| {
            let is_the_step = step.count == count && step.place == place;
            let is_a_notice = is_abandoned(step.count) && step.count >= count;
            step.team == team && step.from == from && (is_the_step || is_a_notice)
        };
        let index = held.iter().position(is_it)?;
        Some(held.swap_remove(index))
    }

    /// Keeps the steps for which `is_kept` is true.
    pub(crate) fn retain(&self, is_kept: impl FnMut(&PushedStep) -> bool) {
        self.held.borrow_mut().retain(is_kept);
    }
}
