//! The time that a kernel takes.

use std::time::Instant;

use coarray::prelude::*;

/// A clock that all images start together.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// Collective. Starts when all images have come here.
    pub fn start() -> Self {
        sync_all();
        Self {
            start: Instant::now(),
        }
    }

    /// Collective. The time until now of the image that took the longest, in seconds.
    pub fn seconds(&self) -> f64 {
        let mut seconds = self.start.elapsed().as_secs_f64();
        co_max(&mut seconds);
        seconds
    }
}
