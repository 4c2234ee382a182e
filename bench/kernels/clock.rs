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

    /// Collective. The time from the first start until all images have come here, in seconds.
    ///
    /// Where images outnumber cores, one may start when another has ended: only when it waits for the others does the
    /// first one's time cover everything.
    pub fn seconds(&self) -> f64 {
        sync_all();
        let mut seconds = self.start.elapsed().as_secs_f64();
        co_max(&mut seconds);
        seconds
    }
}
