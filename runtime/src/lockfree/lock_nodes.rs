//! The nodes of an image in queues of locks that are changed through a fabric; `fabric_lock.rs` has the algorithm.

use crate::lockfree::eventcount::Eventcount;
use crate::primitives::AtomicU64;
use coarray_fabric::transport::signal::Signal;

/// An image's nodes in queues, and how it is granted a lock.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Nodes {
    /// Grow by the number of each grant: the count by those of its node, the signal by others.
    pub(crate) granted: Eventcount,
    pub(crate) granted_from_afar: Signal,
    /// The node behind each of the two.
    pub(crate) next: [AtomicU64; 2],
    /// Of the one with a deadline.
    pub(crate) presence: AtomicU64,
}
