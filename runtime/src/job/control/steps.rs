//! The step of an image in a collective with steps.

use crate::lockfree::arrival::Words;
use crate::lockfree::eventcount::Eventcount;

/// Width of the step in the count.
const STEP_BITS: u32 = 20;

/// The step of an image that abandoned the epoch.
pub(crate) const ABANDONED: u64 = (1 << STEP_BITS) - 1;

/// An image's step in its epoch: one cache line, which that image writes and any image reads.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Steps {
    /// The epoch, and the step in it.
    pub(crate) count: Eventcount,
    /// The last epoch that the image has begun, whose signature is here.
    pub(crate) begun: Eventcount,
    pub(crate) signature: Words<4>,
}

/// A step in an epoch, as one number.
pub(crate) fn count(turn: u64, step: u64) -> u64 {
    // The highest bits are not part of an eventcount's count.
    (turn << STEP_BITS | step) & (u64::MAX >> 2)
}

/// The count of an image that abandoned epoch `turn`.
pub(crate) fn abandoned(turn: u64) -> u64 {
    count(turn, ABANDONED)
}

/// Whether a count is that of an image that abandoned the epoch.
pub(crate) fn is_abandoned(count: u64) -> bool {
    count & ABANDONED == ABANDONED
}

/// Whether a count is that of an image that has come to no step.
pub(crate) fn is_announcement(count: u64) -> bool {
    count & ABANDONED == 0
}

/// The epoch of a count.
pub(crate) fn turn_of(count: u64) -> u64 {
    count >> STEP_BITS
}
