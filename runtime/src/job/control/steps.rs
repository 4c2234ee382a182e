//! How far an image has come in a collective that takes steps.

use crate::lockfree::card::Words;
use crate::lockfree::tally::Tally;

/// How far an image has come in its turn: one cache line, written by that image, read by any.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Steps {
    /// The turn, and the step in it.
    pub(crate) count: Tally,
    /// The last turn that it has begun, whose tag is here.
    pub(crate) begun: Tally,
    pub(crate) tag: Words<4>,
}
