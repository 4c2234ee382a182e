//! When an image last received a message from each other image. See `messages/liveness.rs`.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// The peer timeout and the times that it is compared with.
#[derive(Debug)]
pub(crate) struct PeerTimeout {
    pub(crate) limit: Duration,
    /// When the last message from each image arrived.
    pub(crate) last_heard: RefCell<Vec<Instant>>,
    /// When this image last pinged others.
    pub(crate) last_ping: Cell<Instant>,
}

impl PeerTimeout {
    pub(crate) fn new(limit: Duration, images: usize) -> Self {
        let now = Instant::now();
        Self {
            limit,
            last_heard: RefCell::new(vec![now; images]),
            last_ping: Cell::new(now),
        }
    }

    pub(crate) fn note_heard(&self, image: usize) {
        self.last_heard.borrow_mut()[image] = Instant::now();
    }

    /// Restarts all timeouts, at the start of a wait: before that no image was pinged.
    pub(crate) fn restart(&self) {
        self.last_heard.borrow_mut().fill(Instant::now());
    }
}
