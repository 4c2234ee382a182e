//! The step of an image in a collective with steps.

use crate::lockfree::arrival::Words;
use crate::lockfree::eventcount::Eventcount;

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
