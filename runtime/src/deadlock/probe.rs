//! State of the deadlock search across nodes: the answers that image 0 has, and the question that a leader has.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use super::standstill::Standstill;

/// A node's answer: the sum of the numbers of its images' sleeps, and how many messages they have sent and handled.
pub(crate) type Answer = [u64; 3];

/// The answers that image 0 has, and the question that a leader has.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    /// The number of the current question; odd numbers ask for the second time.
    pub(crate) question: Cell<u64>,
    /// When it was first asked.
    pub(crate) asked: Cell<Option<Instant>>,
    /// The answers to it, by image; leaders only.
    pub(crate) answers: RefCell<Vec<(usize, Answer)>>,
    /// The answers to the question before, if all arrived.
    pub(crate) before: RefCell<Vec<(usize, Answer)>>,
    /// The question that a leader has to answer.
    pub(crate) standstill: Standstill,
}
