//! The locks that an image holds, and its nodes in the queues of others.

use std::cell::{Cell, RefCell};
use std::panic::Location;

use crate::lockfree::fabric_lock::Node;
use coarray_fabric::memory::locality::Place;

/// A lock that an image holds.
#[derive(Debug)]
pub(crate) struct Held {
    /// Where the image maps it.
    pub(crate) address: usize,
    /// The line that took it.
    pub(crate) caller: &'static Location<'static>,
}

/// In a job on several nodes: what an image knows of its nodes in queues.
#[derive(Debug, Default)]
pub(crate) struct Queueing {
    /// The sum of `granted` and `granted_from_afar` before the current wait.
    pub(crate) granted: Cell<u64>,
    /// Whether the node with a deadline may be in a queue that the image has left.
    pub(crate) has_left: Cell<bool>,
    /// The locks that it holds and behind whose holder there was a node already when it acquired them.
    pub(crate) successors: RefCell<Vec<(Place, Node)>>,
}
