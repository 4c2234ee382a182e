//! When an image heard of others last.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// What an image knows of the silence of others.
#[derive(Debug)]
pub(crate) struct PeerTimeout {
    pub(crate) limit: Duration,
    /// When each image was heard of last.
    pub(crate) heard: RefCell<Vec<Instant>>,
    pub(crate) asked: Cell<Instant>,
}

impl PeerTimeout {
    pub(crate) fn new(limit: Duration, images: usize) -> Self {
        let now = Instant::now();
        Self {
            limit,
            heard: RefCell::new(vec![now; images]),
            asked: Cell::new(now),
        }
    }

    pub(crate) fn hear(&self, image: usize) {
        self.heard.borrow_mut()[image] = Instant::now();
    }

    /// Begins a wait: nobody was asked anything before.
    pub(crate) fn begin(&self) {
        self.heard.borrow_mut().fill(Instant::now());
    }
}
