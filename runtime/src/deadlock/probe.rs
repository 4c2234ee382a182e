//! What image 0 has been told when it suspects that no image can go on, and what others have asked.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use super::standstill::Standstill;

/// What a node says of itself: the sum of the numbers of its images' sleeps, and how many messages they have sent and
/// carried out.
pub(crate) type Answer = [u64; 3];

/// What image 0 has been told, and what others have asked.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    /// The number of the question that is asked now; those asked for the second time are odd.
    pub(crate) question: Cell<u64>,
    /// When it was asked for the first time.
    pub(crate) asked: Cell<Option<Instant>>,
    /// The answers to it, by image; those of leaders only.
    pub(crate) answers: RefCell<Vec<(usize, Answer)>>,
    /// The answers to the one before, if all came.
    pub(crate) before: RefCell<Vec<(usize, Answer)>>,
    /// Of the node that is asked.
    pub(crate) standstill: Standstill,
}
