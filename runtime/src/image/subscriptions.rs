//! Subscriptions to steps of images on other nodes, and the answers; `steps_between_nodes.rs` has the protocol.

use std::cell::{Cell, RefCell};

use crate::lockfree::arrival::Signature;
use crate::lockfree::eventcount::Eventcount;

/// An image's subscriptions, and those of other images to its steps.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    /// Subscriptions of others to steps that this image has not come to.
    pub(crate) waiting: RefCell<Vec<Subscription>>,
    /// How many subscriptions this image has made.
    pub(crate) made: Cell<u64>,
    /// The number of the last one that was answered, and the answer.
    pub(crate) answered: Eventcount,
    pub(crate) answer: RefCell<StepReport>,
}

/// A subscription to a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subscription {
    pub(crate) subscriber: usize,
    pub(crate) number: u64,
    /// The offset of the control structure of the team in each part.
    pub(crate) control: usize,
    /// The epoch and the step.
    pub(crate) count: u64,
    /// The signature of the subscriber.
    pub(crate) signature: Signature,
    /// The range of the part that comes with the answer.
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// The answer: an image's step and signature, and the bytes that were asked for if the signatures are equal.
#[derive(Debug, Default)]
pub(crate) struct StepReport {
    pub(crate) count: u64,
    pub(crate) signature: Signature,
    pub(crate) bytes: Vec<u8>,
}
