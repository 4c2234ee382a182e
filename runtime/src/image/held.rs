//! The locks that an image holds.

use std::panic::Location;

use crate::lockfree::lock_state::Node;

/// A lock that an image holds.
#[derive(Debug)]
pub(crate) struct Held {
    /// Where the image maps it.
    pub(crate) address: usize,
    /// The line that took it.
    pub(crate) caller: &'static Location<'static>,
    /// The node behind this image's, if there was one already when it acquired the lock.
    pub(crate) successor: Option<Node>,
}
