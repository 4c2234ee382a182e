//! How far an image has come in a collective that takes steps.

use crate::lockfree::arrival::Words;
use crate::lockfree::eventcount::Eventcount;

/// How far an image has come in its turn: one cache line, written by that image, read by any.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Steps {
    /// The turn, and the step in it.
    pub(crate) count: Eventcount,
    /// The last turn that it has begun, whose signature is here.
    pub(crate) begun: Eventcount,
    pub(crate) signature: Words<4>,
}
