//! The messages of an image that are not acknowledged.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// The messages of an image that are not acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Unacked {
    /// Messages that the receivers acknowledge unasked.
    pub(crate) others: Cell<u64>,
    /// Requests to acknowledge posts.
    pub(crate) requests: Cell<u64>,
    /// The images with posts that no request has followed.
    targets: RefCell<BTreeSet<usize>>,
    /// The last one added to `targets` since it was empty: most posts go where the one before went.
    last: Cell<Option<usize>>,
}

impl Unacked {
    /// Notes a post to `image`.
    pub(crate) fn note_post(&self, image: usize) {
        if self.last.replace(Some(image)) != Some(image) {
            self.targets.borrow_mut().insert(image);
        }
    }

    /// The images with posts that no request has followed; from now on, none.
    pub(crate) fn take_targets(&self) -> BTreeSet<usize> {
        self.last.set(None);
        self.targets.take()
    }

    /// Whether posts are not acknowledged.
    pub(crate) fn has_posts(&self) -> bool {
        self.requests.get() > 0 || self.last.get().is_some()
    }
}
