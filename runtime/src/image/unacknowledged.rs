//! How many messages of an image are not acknowledged.

use std::cell::Cell;

use coarray_fabric::transport::pending::Pending;

/// How many messages of either kind are not acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Unacked {
    posts: Cell<u64>,
    others: Cell<u64>,
}

impl Unacked {
    pub(crate) fn count(&self, pending: Pending) -> &Cell<u64> {
        match pending {
            Pending::Posts => &self.posts,
            _ => &self.others,
        }
    }
}
