//! Where the time goes: each image has a clock, and the images compare their clocks at the end.

use std::fmt;
use std::time::{Duration, Instant};

use coarray::prelude::*;

/// The clock of one image.
pub struct Clock {
    began: Instant,
    communicating: Duration,
    waiting: Duration,
}

/// The times of all images.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// From the start to the end, on the slowest image.
    pub seconds: f64,
    communicating: Share,
    waiting: Share,
}

/// A part of the time, over all images.
#[derive(Clone, Copy, Debug)]
struct Share {
    mean: f64,
    largest: f64,
}

impl Clock {
    /// Collective. Starts all images' clocks.
    pub fn start() -> Self {
        sync_all();
        Self {
            began: Instant::now(),
            communicating: Duration::ZERO,
            waiting: Duration::ZERO,
        }
    }

    /// Does work that moves data to or from other images.
    pub fn communicate<R>(&mut self, work: impl FnOnce() -> R) -> R {
        timed(&mut self.communicating, work)
    }

    /// Does work that mostly waits for other images.
    pub fn wait<R>(&mut self, work: impl FnOnce() -> R) -> R {
        timed(&mut self.waiting, work)
    }

    /// Collective. Stops all images' clocks and compares them.
    pub fn stop(mut self) -> Shares {
        let own = self.began.elapsed().as_secs_f64();
        // An early image waits here for the last one.
        self.wait(sync_all);
        let total = self.began.elapsed().as_secs_f64();
        let share = |part: Duration| {
            let part = part.as_secs_f64() / total;
            let (mut mean, mut largest) = (part, part);
            co_sum(&mut mean);
            co_max(&mut largest);
            mean /= num_images() as f64;
            Share { mean, largest }
        };
        let mut seconds = own;
        co_max(&mut seconds);
        Shares {
            seconds,
            communicating: share(self.communicating),
            waiting: share(self.waiting),
        }
    }
}

fn timed<R>(sum: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *sum += start.elapsed();
    result
}

impl fmt::Display for Shares {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "communicating: {}", self.communicating)?;
        write!(formatter, "waiting: {}", self.waiting)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mean, largest) = (100.0 * self.mean, 100.0 * self.largest);
        write!(
            formatter,
            "{mean:.1} % of an image's time on average, {largest:.1} % at most"
        )
    }
}
