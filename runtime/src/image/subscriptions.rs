//! What an image waits for on other nodes in a collective operation, and what others there wait for from it.

use std::cell::{Cell, RefCell};

use crate::lockfree::arrival::Signature;
use crate::lockfree::eventcount::Eventcount;

/// What an image waits for on other nodes, and others there for from it.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    /// Those of others, to steps that this image has not come to.
    pub(crate) waiting: RefCell<Vec<Subscription>>,
    /// How many this image has made.
    pub(crate) made: Cell<u64>,
    /// The number of the last one that was answered, and how.
    pub(crate) answered: Eventcount,
    pub(crate) answer: RefCell<StepReport>,
}

/// An image waits for a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subscription {
    pub(crate) subscriber: usize,
    pub(crate) number: u64,
    /// Where in each part the control structure of the team is.
    pub(crate) control: usize,
    /// The turn and the step.
    pub(crate) count: u64,
    /// What the subscriber is doing.
    pub(crate) signature: Signature,
    /// The bytes of the part that are to come with the answer.
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// How far an image has come, what it is doing, and the bytes that were asked for if it is doing the same.
#[derive(Debug, Default)]
pub(crate) struct StepReport {
    pub(crate) count: u64,
    pub(crate) signature: Signature,
    pub(crate) bytes: Vec<u8>,
}
